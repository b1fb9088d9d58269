---- MODULE Queue_TTrace_1767225600 ----
EXTENDS Sequences, Queue_TEConstants, TLCExt, Toolbox, Naturals, TLC, Queue

_expression ==
    LET Queue_TEExpression == INSTANCE Queue_TEExpression
    IN Queue_TEExpression!expression
----

_trace ==
    LET Queue_TETrace == INSTANCE Queue_TETrace
    IN Queue_TETrace!trace
----

_prop ==
    ~<>[](
        waiting = ({p1, c1, c2})
        /\
        queue = (<<>>)
    )
----

_init ==
    /\ waiting = _TETrace[1].waiting
    /\ queue = _TETrace[1].queue
----

_next ==
    /\ \E i,j \in DOMAIN _TETrace:
        /\ \/ /\ j = i + 1
              /\ i = TLCGet("level")
        /\ waiting  = _TETrace[i].waiting
        /\ waiting' = _TETrace[j].waiting
        /\ queue  = _TETrace[i].queue
        /\ queue' = _TETrace[j].queue

\* Uncomment the ASSUME below to write the states of the error trace
\* to the given file in Json format. Note that you can pass any tuple
\* to `JsonSerialize`. For example, a sub-sequence of _TETrace.
    \* ASSUME
    \*     LET J == INSTANCE Json
    \*         IN J!JsonSerialize("Queue_TTrace_1767225600.json", _TETrace)

=============================================================================

 Note that you can extract this module `Queue_TEExpression`
  to a dedicated file to reuse `expression` (the module in the 
  dedicated `Queue_TEExpression.tla` file takes precedence 
  over the module `Queue_TEExpression` below).

---- MODULE Queue_TEExpression ----
EXTENDS Sequences, Queue_TEConstants, TLCExt, Toolbox, Naturals, TLC, Queue

expression == 
    [
        \* To hide variables of the `Queue` spec from the error trace,
        \* remove the variables below.  The trace will be written in the order
        \* of the fields of this record.
        waiting |-> waiting
        ,queue |-> queue
        
        \* Put additional constant-, state-, and action-level expressions here:
        \* ,_stateNumber |-> _TEPosition
        \* ,_waitingUnchanged |-> waiting = waiting'
        
        \* Format the `waiting` variable as Json value.
        \* ,_waitingJson |->
        \*     LET J == INSTANCE Json
        \*     IN J!ToJson(waiting)
        
        \* Lastly, you may build expressions over arbitrary sets of states by
        \* leveraging the _TETrace operator.  For example, this is how to
        \* count the number of times a spec variable changed up to the current
        \* state in the trace.
        \* ,_waitingModCount |->
        \*     LET F[s \in DOMAIN _TETrace] ==
        \*         IF s = 1 THEN 0
        \*         ELSE IF _TETrace[s].waiting # _TETrace[s-1].waiting
        \*             THEN 1 + F[s-1] ELSE F[s-1]
        \*     IN F[_TEPosition - 1]
    ]

=============================================================================



Parsing and semantic processing can take forever if the trace below is long.
 In this case, it is advised to uncomment the module below to deserialize the
 trace from a generated binary file.

\*
\*---- MODULE Queue_TETrace ----
\*EXTENDS IOUtils, Queue_TEConstants, TLC, Queue
\*
\*trace == IODeserialize("Queue_TTrace_1767225600.bin", TRUE)
\*
\*=============================================================================
\*

---- MODULE Queue_TETrace ----
EXTENDS Queue_TEConstants, TLC, Queue

trace == 
    <<
    ([waiting |-> {},queue |-> <<>>]),
    ([waiting |-> {c1},queue |-> <<>>]),
    ([waiting |-> {c1, c2},queue |-> <<>>]),
    ([waiting |-> {c1},queue |-> <<p1>>]),
    ([waiting |-> {p1, c1},queue |-> <<p1>>]),
    ([waiting |-> {p1},queue |-> <<>>]),
    ([waiting |-> {p1, c1},queue |-> <<>>]),
    ([waiting |-> {p1, c1, c2},queue |-> <<>>])
    >>
----


=============================================================================

---- MODULE Queue_TEConstants ----
EXTENDS Queue

CONSTANTS p1, c1, c2

=============================================================================

---- CONFIG Queue_TTrace_1767225600 ----
CONSTANTS
    Producers = { p1 }
    Consumers = { c1 , c2 }
    Capacity = 1
    c2 = c2
    c1 = c1
    p1 = p1

PROPERTY
    _prop

CHECK_DEADLOCK
    \* CHECK_DEADLOCK off because of PROPERTY or INVARIANT above.
    FALSE

INIT
    _init

NEXT
    _next

CONSTANT
    _TETrace <- _trace

ALIAS
    _expression
=============================================================================
\* Generated on Sat Jan 1 00:00:00 UTC 2026