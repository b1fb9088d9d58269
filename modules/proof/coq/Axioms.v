(* What each theorem rests on besides Coq itself; "make" compares it with axioms.txt. *)
From InevProof Require Import Sound Unique Complete.
Print Assumptions soundness.
Print Assumptions uniqueness.
Print Assumptions completeness.
