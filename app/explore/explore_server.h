/* explore_server.h - the local web server of mercury explore.
 *
 * Why MHD   GNU libmicrohttpd parses HTTP, bounds what it keeps of a request and leaves the loop to us, in one
 *           thread, so that processes can be forked. Every Debian has it, with security support. libsoup would bring
 *           GLib and its loop, and libevent's server does not bound headers unless it is told to.
 * Reader    only 127.0.0.1 is listened on. The link that is printed has a token that works once: it gives the reader's
 *           browser a cookie, and without it nothing is answered. Host and Origin must be this server's, so that no
 *           other page can ask. The files of data/explore/ are read at the start, by a fixed list of names.
 * Bounds    CLIENTS_MOST connections; a request's head has at most 16 KiB and its body 16 KiB; who is silent for 10 s,
 *           or takes longer than 30 s for a request, is cut off. Answers come from explore_jobs.h.
 * Tokens    a page that has others made than the run's (explore_tokens.h) hears how far they are over a connection that
 *           stays open as long as it wants them: they end with it. A page has one such stream, and TOKENS_MOST pages.
 * Errors    an enum command_status and one line.
 */
#pragma once

#include <stdbool.h>

#include "base/why.h"
#include "app/explore/explore_machine.h"

/** Serve until a signal (SIGINT, SIGTERM, SIGHUP) or until the time is over.
 *
 * @param port     0: any that is free
 * @param seconds  0: until a signal
 * @param quiet    print the link only
 */
int explore_serve(const struct explored_run *run, unsigned port, double seconds, bool quiet, struct why *why);
