/* Dekker's algorithm for two processes, step by step as examples/dekker has it:
   each access to a shared variable is a statement of its own. */

bool flag[2];
byte turn;
bool entered; /* process 0 has entered */

/* A statement that changes nothing: SPIN leaves out a skip. */
#define STEP (0 == 0)

#define PROCESS(me, other, ENTER)       \
    do                                  \
    :: STEP; /* not critical */         \
    raise:                              \
       flag[me] = true;                 \
       do                               \
       :: !flag[other] -> break         \
       :: flag[other] ->                \
          if                            \
          :: turn != other              \
          :: turn == other ->           \
             flag[me] = false;          \
             do                         \
             :: turn == me -> break     \
             :: turn != me              \
             od;                        \
             goto raise                 \
          fi                            \
       od;                              \
       ENTER;                           \
       STEP; /* leaves */               \
       turn = other;                    \
       flag[me] = false                 \
    od

active proctype P0() { PROCESS(0, 1, entered = true) }
active proctype P1() { PROCESS(1, 0, STEP) }

ltl inevitable { <> entered }
