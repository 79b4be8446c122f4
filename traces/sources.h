/* sources.h - the publications that explanations of numbers name (frame.h, explain.h). */
#pragma once

#define TIMETRIAL   "Lancaster et al., TimeTrial, ASAP 2011"
#define DOR         "Dor, WUCSE-2010-30"
#define DOR_INPUTS  DOR ", Figures 11, 14 and 16"
#define DOR_FIGURES DOR ", Figures 12 and 17"
#define LEONARDS    "Leonards, Processor modelling using queueing theory, 2023"
#define MERCURY     "Mercury BLASTN as described in " DOR ", section 2.4"
