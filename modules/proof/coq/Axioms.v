(* What each theorem rests on besides Coq itself; "make" compares it with axioms.txt. *)
From InevProof Require Import Sound.
Print Assumptions soundness.
