---- MODULE Lock_TTrace_1767225600 ----
EXTENDS Sequences, TLCExt, Toolbox, Lock_TEConstants, Naturals, TLC, Lock

_expression ==
    LET Lock_TEExpression == INSTANCE Lock_TEExpression
    IN Lock_TEExpression!expression
----

_trace ==
    LET Lock_TETrace == INSTANCE Lock_TETrace
    IN Lock_TETrace!trace
----

_prop ==
    ~(([]<>(
            pc = ((c1 :> "waits" @@ c2 :> "waits"))
            /\
            holder = (0)
    ))/\([]<>(
            pc = ((c1 :> "waits" @@ c2 :> "holds"))
            /\
            holder = (c2)
    )))
----

_init ==
    /\ holder = _TETrace[1].holder
    /\ pc = _TETrace[1].pc
----

_next ==
    /\ \E i,j \in DOMAIN _TETrace:
        /\ \/ /\ j = i + 1
              /\ i = TLCGet("level")
           \/ /\ i = _TTraceLassoEnd
              /\ j = _TTraceLassoStart
        /\ holder  = _TETrace[i].holder
        /\ holder' = _TETrace[j].holder
        /\ pc  = _TETrace[i].pc
        /\ pc' = _TETrace[j].pc

\* Uncomment the ASSUME below to write the states of the error trace
\* to the given file in Json format. Note that you can pass any tuple
\* to `JsonSerialize`. For example, a sub-sequence of _TETrace.
    \* ASSUME
    \*     LET J == INSTANCE Json
    \*         IN J!JsonSerialize("Lock_TTrace_1767225600.json", _TETrace)


_view ==
    <<holder, pc, IF TLCGet("level") = _TTraceLassoEnd + 1 THEN _TTraceLassoStart ELSE TLCGet("level")>>
=============================================================================

 Note that you can extract this module `Lock_TEExpression`
  to a dedicated file to reuse `expression` (the module in the 
  dedicated `Lock_TEExpression.tla` file takes precedence 
  over the module `Lock_TEExpression` below).

---- MODULE Lock_TEExpression ----
EXTENDS Sequences, TLCExt, Toolbox, Lock_TEConstants, Naturals, TLC, Lock

expression == 
    [
        \* To hide variables of the `Lock` spec from the error trace,
        \* remove the variables below.  The trace will be written in the order
        \* of the fields of this record.
        holder |-> holder
        ,pc |-> pc
        
        \* Put additional constant-, state-, and action-level expressions here:
        \* ,_stateNumber |-> _TEPosition
        \* ,_holderUnchanged |-> holder = holder'
        
        \* Format the `holder` variable as Json value.
        \* ,_holderJson |->
        \*     LET J == INSTANCE Json
        \*     IN J!ToJson(holder)
        
        \* Lastly, you may build expressions over arbitrary sets of states by
        \* leveraging the _TETrace operator.  For example, this is how to
        \* count the number of times a spec variable changed up to the current
        \* state in the trace.
        \* ,_holderModCount |->
        \*     LET F[s \in DOMAIN _TETrace] ==
        \*         IF s = 1 THEN 0
        \*         ELSE IF _TETrace[s].holder # _TETrace[s-1].holder
        \*             THEN 1 + F[s-1] ELSE F[s-1]
        \*     IN F[_TEPosition - 1]
    ]

=============================================================================



Parsing and semantic processing can take forever if the trace below is long.
 In this case, it is advised to uncomment the module below to deserialize the
 trace from a generated binary file.

\*
\*---- MODULE Lock_TETrace ----
\*EXTENDS IOUtils, Lock_TEConstants, TLC, Lock
\*
\*trace == IODeserialize("Lock_TTrace_1767225600.bin", TRUE)
\*
\*=============================================================================
\*

---- MODULE Lock_TETrace ----
EXTENDS Lock_TEConstants, TLC, Lock

trace == 
    <<
    ([pc |-> (c1 :> "idle" @@ c2 :> "idle"),holder |-> 0]),
    ([pc |-> (c1 :> "waits" @@ c2 :> "idle"),holder |-> 0]),
    ([pc |-> (c1 :> "waits" @@ c2 :> "waits"),holder |-> 0]),
    ([pc |-> (c1 :> "waits" @@ c2 :> "holds"),holder |-> c2]),
    ([pc |-> (c1 :> "waits" @@ c2 :> "idle"),holder |-> 0]),
    ([pc |-> (c1 :> "waits" @@ c2 :> "waits"),holder |-> 0])
    >>
----


=============================================================================

---- MODULE Lock_TEConstants ----
EXTENDS Lock

CONSTANTS c1, c2, _TTraceLassoStart, _TTraceLassoEnd

=============================================================================

---- CONFIG Lock_TTrace_1767225600 ----
CONSTANTS
    Clients = { c1 , c2 }
    c2 = c2
    c1 = c1
_TTraceLassoStart = 4
_TTraceLassoEnd = 6

PROPERTY
    _prop

CHECK_DEADLOCK
    \* CHECK_DEADLOCK off because of PROPERTY or INVARIANT above.
    FALSE

INIT
    _init

NEXT
    _next

VIEW
    _view

CONSTANT
    _TETrace <- _trace

ALIAS
    _expression
=============================================================================
\* Generated on Thu Jan 1 00:00:00 UTC 2026