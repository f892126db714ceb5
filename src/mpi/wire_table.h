/* SPDX-License-Identifier: Apache-2.0
 *
 * What the module credens_mpi.so offers to the program that loads it: messages between ranks. Nothing of MPI shows. */

#pragma once

#include <stddef.h>

#define CREDENS_WIRE_VERSION 1
#define CREDENS_WIRE_CHANNELS 2
#define CREDENS_WIRE_JOIN "credens_wire_join"

/* Functions may be called by any thread. Those that return an int: < 0, the wire is broken. */
struct CredensWireTable {
  int version;
  int rank;
  int size;
  int node_leader; /* the lowest rank on this machine */

  /* Copies the bytes, and sends them while other calls are made. */
  int (*send)(int to, int channel, const void* bytes, size_t count);

  /* 1: a message has come, whose bytes are valid until the next call for the channel; 0: none. Never waits. */
  int (*receive)(int channel, int* from, const void** bytes, size_t* count);

  int (*close)(void);      /* waits 10 s for all ranks to close */
  void (*abort)(int code); /* ends all ranks as far as they can be reached, this one for sure */
};

/* Joins the ranks that mpirun started and fills in the table; once per process. */
typedef int (*CredensWireJoin)(struct CredensWireTable* table);
