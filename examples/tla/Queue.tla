------------------------------- MODULE Queue --------------------------------
(* A bounded queue with one condition for all who wait: a notification that  *)
(* wakes the wrong thread is lost, and in the end all wait.                   *)
EXTENDS Naturals, Sequences, FiniteSets

CONSTANTS Producers, Consumers, Capacity

ASSUME Capacity > 0

VARIABLES queue, waiting

vars == <<queue, waiting>>

Threads == Producers \cup Consumers

Init == queue = <<>> /\ waiting = {}

Notify == IF waiting = {} THEN UNCHANGED waiting
          ELSE \E t \in waiting : waiting' = waiting \ {t}

Wait(t) == waiting' = waiting \cup {t} /\ UNCHANGED queue

Put(p) == /\ p \notin waiting
          /\ IF Len(queue) < Capacity
             THEN queue' = Append(queue, p) /\ Notify
             ELSE Wait(p)

Get(c) == /\ c \notin waiting
          /\ IF queue # <<>>
             THEN queue' = Tail(queue) /\ Notify
             ELSE Wait(c)

Next == (\E p \in Producers : Put(p)) \/ (\E c \in Consumers : Get(c))

Spec == /\ Init /\ [][Next]_vars
        /\ \A p \in Producers : WF_vars(Put(p))
        /\ \A c \in Consumers : WF_vars(Get(c))

SomeoneRuns == waiting # Threads

Consumed == \A p \in Producers : (\E i \in 1..Len(queue) : queue[i] = p) ~> (\A i \in 1..Len(queue) : queue[i] # p)

Progress == []<><<queue' # queue>>_vars
=============================================================================
