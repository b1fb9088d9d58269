/* Dijkstra's algorithm for three processes, step by step as examples/dijkstra has
   it: each access to a shared variable is a statement of its own, and a process
   that would only read again what it has read before waits instead. */

bool wants[3];
bool claims[3];
byte k;
bool entered; /* process 0 has entered */

/* A statement that changes nothing: SPIN leaves out a skip. */
#define STEP (0 == 0)

#define PROCESS(me, next, last, ENTER)             \
    again:                                         \
       wants[me] = true;                           \
    owner:                                         \
       if                                          \
       :: k == me -> goto claim                    \
       :: k != me                                  \
       fi;                                         \
    unclaim:                                       \
       claims[me] = false;                         \
       !wants[k];                                  \
       k = me;                                     \
       goto owner;                                 \
    claim:                                         \
       claims[me] = true;                          \
       if                                          \
       :: !claims[next]                            \
       :: claims[next] && k != me -> goto unclaim  \
       fi;                                         \
       if                                          \
       :: !claims[last]                            \
       :: claims[last] && k != me -> goto unclaim  \
       fi;                                         \
       ENTER;                                      \
       STEP; /* leaves */                          \
       claims[me] = false;                         \
       wants[me] = false;                          \
       goto again

active proctype P0() { PROCESS(0, 1, 2, entered = true) }
active proctype P1() { PROCESS(1, 2, 0, STEP) }
active proctype P2() { PROCESS(2, 0, 1, STEP) }

ltl inevitable { <> entered }
