(* From Coq to OCaml. Beside Coq's own extraction, these lines are trusted: numbers become
   OCaml's integers of 63 bits. No number here passes 2^33, see the README. *)
From Coq Require Import Arith Extraction ExtrOcamlBasic.
From InevProof Require Import Lts Chain Check Fair FairCheck Acceptance Table Shortest.

Extract Inductive nat => int [ "0" "Stdlib.Int.succ" ] "(fun zero succ n -> if n = 0 then zero () else succ (n - 1))".
Extract Inlined Constant Init.Nat.add => "(+)".
Extract Constant Init.Nat.sub => "fun (a : int) (b : int) -> if a > b then a - b else 0".
Extract Inlined Constant Nat.eqb => "Stdlib.Int.equal".
Extract Constant Nat.leb => "fun (a : int) (b : int) -> a <= b".
Extract Constant Nat.ltb => "fun (a : int) (b : int) -> a < b".

Extraction "checker.ml" check check_fair check_table check_shortest pairs dual times.
