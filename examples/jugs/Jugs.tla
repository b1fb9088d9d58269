---- MODULE Jugs ----
EXTENDS Naturals
VARIABLES small, big
Init == small = 0 /\ big = 0
FillSmall == small' = 3 /\ big' = big
FillBig == big' = 5 /\ small' = small
EmptySmall == small' = 0 /\ big' = big
EmptyBig == big' = 0 /\ small' = small
Min(a, b) == IF a < b THEN a ELSE b
SmallToBig == LET n == Min(small, 5 - big) IN small' = small - n /\ big' = big + n
BigToSmall == LET n == Min(big, 3 - small) IN small' = small + n /\ big' = big - n
Next == FillSmall \/ FillBig \/ EmptySmall \/ EmptyBig \/ SmallToBig \/ BigToSmall
Spec == Init /\ [][Next]_<<small, big>> /\ WF_<<small, big>>(Next)
\* With a jug of 3 and one of 5 litres, 4 litres are measured at some time.
Four == <>(big = 4)
\* The puzzle: what violates this shows how.
NoFour == [](big # 4)
====
