/* wide.h - whole numbers of 128 bits, for sums that 64 bits do not hold.
 *
 * Why       2^64 ps are 213 days: times of all cores of a long run, added up, are longer. Sums of squares of clocks,
 *           and of clocks over many elements, are larger still. Such sums stay whole numbers, so that they have the
 *           same bits in any order of addition.
 * Output    nothing prints these numbers as they are: times are reported in seconds, means as real numbers.
 */
#pragma once

__extension__ typedef unsigned __int128 wide_uint;
__extension__ typedef __int128 wide_int;
