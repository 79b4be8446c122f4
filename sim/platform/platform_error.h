/* platform_error.h - the codes with which a platform file is refused. */
#pragma once

enum platform_error {
    PLATFORM_ESYSTEM = -1,  /* memory, or another resource of the system, is exhausted */
    PLATFORM_EOPEN = -2,    /* the file cannot be read */
    PLATFORM_EFORMAT = -3,  /* it is no platform, or has an element, a number or a line that is not used */
    PLATFORM_ESIMGRID = -4, /* SimGrid refuses it */
};
