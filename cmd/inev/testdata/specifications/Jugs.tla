-------------------------------- MODULE Jugs --------------------------------
EXTENDS Naturals
VARIABLES big, small

Min(a, b) == IF a < b THEN a ELSE b

Init == big = 0 /\ small = 0

FillBig == big' = 5 /\ small' = small
FillSmall == small' = 3 /\ big' = big
EmptyBig == big' = 0 /\ small' = small
EmptySmall == small' = 0 /\ big' = big
BigToSmall == /\ small' = Min(small + big, 3)
              /\ big' = big - (small' - small)
SmallToBig == /\ big' = Min(big + small, 5)
              /\ small' = small - (big' - big)

Next == FillBig \/ FillSmall \/ EmptyBig \/ EmptySmall \/ BigToSmall \/ SmallToBig
Spec == Init /\ [][Next]_<<big, small>>
NotSolved == big # 4
=============================================================================
