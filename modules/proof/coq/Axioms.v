(* What each theorem rests on besides Coq itself; "make" compares it with axioms.txt. *)
From InevProof Require Import Sound Unique Complete Acceptance.
Print Assumptions soundness.
Print Assumptions uniqueness.
Print Assumptions completeness.
Print Assumptions some_run.
Print Assumptions never.
Print Assumptions complement.
Print Assumptions table_verdict.
Print Assumptions table_class.
