(* What each theorem rests on besides Coq itself; "make" compares it with axioms.txt. *)
From InevProof Require Import Sound Shortest Unique Complete Acceptance Table TableSound Fair FairSound.
Print Assumptions soundness.
Print Assumptions shortest_soundness.
Print Assumptions uniqueness.
Print Assumptions completeness.
Print Assumptions table_soundness.
Print Assumptions table_uniqueness.
Print Assumptions claims_uniqueness.
Print Assumptions some_run.
Print Assumptions never.
Print Assumptions fair_soundness.
Print Assumptions not_fair.
Print Assumptions not_fully_fair.
Print Assumptions some_counts.
