/* SPDX-License-Identifier: Apache-2.0
 *
 * What the module credens_mpi.so offers to the program that loads it. Nothing of MPI shows. */

#pragma once

#include <stddef.h>
#include <stdint.h>

#define CREDENS_RANKS_VERSION 2
#define CREDENS_RANKS_JOIN "credens_ranks_join"

/* For the thread that joined alone. Where MPI itself fails, it ends all ranks with a message of its own. */
struct CredensRanks {
  int version;
  int rank;
  int size;
  int machine; /* the lowest rank on this machine */

  void (*meet)(int64_t own, int64_t* all); /* a number of every rank, by rank; waiting takes no core */
  void (*broadcast)(int root, void* bytes, size_t count);
  void (*send)(const void* bytes, size_t count); /* to rank 0, which receives */
  void (*receive)(int from, void* bytes, size_t count);
  void (*abort)(int status); /* ends all ranks */
  void (*leave)(void);       /* when all are done */
};

/* Joins the ranks that mpirun started and fills in the table; once per process. 0: it worked. */
typedef int (*CredensRanksJoin)(struct CredensRanks* ranks);
