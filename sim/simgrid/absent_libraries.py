#!/usr/bin/env python3
"""Stand-ins for libraries that SimGrid is linked to and Mercury never uses: those of ns-3, and Fortran's.

    absent_libraries.py names SIMGRID    what they are called, one a line
    absent_libraries.py source SIMGRID   C source that defines what SimGrid's library, SIMGRID, uses of them

SimGrid needs ns-3 for one of its network models, and Fortran's library for MPI programs in Fortran. Mercury starts
SimGrid with another model (simgrid_engine.c). But to load ns-3 and run its initializers would take 23 ms of each
process that simulates; and Fortran's library brings libquadmath, which extends printf(), so that every printf() of the
process takes glibc's slow path. Beside mercury-simgrid.so, where the dynamic linker looks first (DT_RPATH), lie small
libraries of these names, which define what SimGrid's relocations need. Those of ns-3 are one file of several names,
which is loaded once. Fortran's is a file of its own, because the version of its symbols (GFORTRAN_8) is asked of it.

While SimGrid is loaded, and when the process ends, it calls a few of these functions (ns3::Time::StaticInit(),
constructor and destructor of one ns3::InternetStackHelper), and does not use what they return.
"""

import re
import subprocess
import sys

NAMES = r"libns3-.*|libgfortran\.so.*"
SYMBOLS = r"_Z.*3ns3.*|_gfortran_.*"
VARIABLES = r"_ZT[VI].*|_ZN3ns34Time14g_markingTimesE"  # of virtual functions, of types, and a pointer

POINTERS_MAX = 64  # of a table of virtual functions


def lines_of(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()


def names(library):
    needed = (re.search(r"\(NEEDED\).*\[(.*)\]", line) for line in lines_of("readelf", "-d", "-W", library))
    return [found[1] for found in needed if found and re.fullmatch(NAMES, found[1])]


def symbols(library):
    """Undefined symbols of these libraries, in mangled form, without their versions."""
    undefined = (line.split()[-1].split("@")[0] for line in lines_of("nm", "-D", "--undefined-only", library))
    return [name for name in undefined if re.fullmatch(SYMBOLS, name)]


def definition(name):
    if re.fullmatch(VARIABLES, name):
        return f"extern void *{name}[{POINTERS_MAX}];\nvoid *{name}[{POINTERS_MAX}];"
    return f"void *{name}(void);\nvoid *{name}(void)\n{{\n    return 0;\n}}"


what, simgrid = sys.argv[1:]
print("\n".join(names(simgrid) if what == "names" else map(definition, symbols(simgrid))))
