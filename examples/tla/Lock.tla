-------------------------------- MODULE Lock --------------------------------
(* A lock that clients ask for and get in no particular order: who waits may *)
(* be passed over forever.                                                   *)
EXTENDS Naturals, FiniteSets

CONSTANT Clients

VARIABLES pc, holder

vars == <<pc, holder>>

None == CHOOSE n \in {0} : n \notin Clients

Init == /\ pc = [c \in Clients |-> "idle"]
        /\ holder = None

Ask(c) == /\ pc[c] = "idle"
          /\ pc' = [pc EXCEPT ![c] = "waits"]
          /\ UNCHANGED holder

Acquire(c) == /\ pc[c] = "waits"
              /\ holder = None
              /\ pc' = [pc EXCEPT ![c] = "holds"]
              /\ holder' = c

Release(c) == /\ holder = c
              /\ pc' = [pc EXCEPT ![c] = "idle"]
              /\ holder' = None

Next == \E c \in Clients : Ask(c) \/ Acquire(c) \/ Release(c)

Spec == /\ Init /\ [][Next]_vars
        /\ \A c \in Clients : WF_vars(Acquire(c)) /\ WF_vars(Release(c))

Waits(c) == pc[c] = "waits"
Holds(c) == pc[c] = "holds"

Exclusion == \A c, d \in Clients : Holds(c) /\ Holds(d) => c = d

Served == \A c \in Clients : Waits(c) ~> Holds(c)

Free == []<>(holder = None)
=============================================================================
