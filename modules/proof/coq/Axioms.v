(* What each theorem rests on besides Coq itself; "make" compares it with axioms.txt. *)
From InevProof Require Import Sound Unique Complete Acceptance Table TableSound Fair.
Print Assumptions soundness.
Print Assumptions uniqueness.
Print Assumptions completeness.
Print Assumptions table_soundness.
Print Assumptions some_run.
Print Assumptions never.
Print Assumptions not_fair.
Print Assumptions common_suffix_fair.
Print Assumptions common_suffix_reached.
