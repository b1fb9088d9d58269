(* The checker: a function from a model, a property, a certificate and an index of the
   transitions that enter each state, to the first mistake. It is what inev-proof runs. *)
From Coq Require Import List Arith Bool.
From InevProof Require Import Lts Chain.
Import ListNotations.

(* The numbers that stand in a certificate as evidence. *)
Record evidence := Evidence {
  least : nat -> nat; first : nat -> nat -> nat; next : nat -> nat -> nat; due : nat -> nat -> nat }.

(* The transitions that enter each state: the k-th one into t is transition place t k of state
   source t k; transition i of s is number position s i of those into its target. Nothing is
   believed of it. *)
Record index := Index {
  indegree : nat -> nat; source : nat -> nat -> nat; place : nat -> nat -> nat; position : nat -> nat -> nat }.

(* What a mistake is about; with it comes a state, or the number of a step. *)
Inductive part :=
| AtBegin | AtInitial | AtRange | AtEntry | AtIndex | AtFirst | AtLeast | AtCommonSuffix | AtMaxSuffix
| AtVerdict | AtClass | AtCorrect | AtIncorrect | AtNeutral | AtExcluded | AtNeighbourhood
| AtStep | AtLength | AtLoop | AtEnd | AtAbsent
(* Of evidence that no counterexample is shorter *)
| AtSoon | AtDeadlock | AtHead | AtSearch
(* Under assumptions *)
| AtSuffix | AtStay | AtTask | AtSettle | AtSet | AtRank | AtAdmitted
(* Of other properties, of places or homes; whether it is about runs that violate it *)
| AtOrder | AtPlace | AtFar | AtSide (violating : bool) | AtHome (violating : bool) | AtHomePlace (violating : bool).

Definition mistake := option (part * nat).

Notation "a ;; b" := (match a with Some x => Some x | None => b end) (at level 60, right associativity).
Notation "'want' b 'else' x" := (if b then None else Some x) (at level 55).

Fixpoint all_from (n s : nat) (f : nat -> bool) : bool :=
  match n with 0 => true | S n' => f s && all_from n' (S s) f end.
Fixpoint any_from (n s : nat) (f : nat -> bool) : bool :=
  match n with 0 => false | S n' => f s || any_from n' (S s) f end.
Fixpoint find_bad (n s : nat) (f : nat -> bool) : option nat :=
  match n with 0 => None | S n' => if f s then find_bad n' (S s) f else Some s end.
Definition all n := all_from n 0.
Definition any n := any_from n 0.
Fixpoint size_of {A} (xs : list A) (acc : nat) : nat :=
  match xs with [] => acc | _ :: r => size_of r (S acc) end.

Definition same_kind (a b : kind) : bool :=
  match a, b with
  | KCorrect, KCorrect | KIncorrect, KIncorrect | KMixedNeutral, KMixedNeutral | KMixed, KMixed => true
  | _, _ => false
  end.

(* The index has all transitions from s, and of those into s only ones that there are. *)
Definition index_ok (m : lts) (on : nat -> bool) (x : index) (s : nat) : bool :=
  all (degree m s) (fun i =>
    let t := target m s i in let k := position x s i in
    (k <? indegree x t) && (source x t k =? s) && (place x t k =? i)) &&
  all (indegree x s) (fun k =>
    let u := source x s k in let i := place x s k in
    (u <? size m) && on u && (i <? degree m u) && (target m u i =? s)).

(* The value is 1 plus the least of those that f gives. *)
Definition one_more (k : nat) (f : nat -> option nat) (v : nat) : bool :=
  all k (fun i => match f i with Some d => v <=? S d | None => true end) &&
  any k (fun i => match f i with Some d => v =? S d | None => false end).

Definition each (n : nat) (on : nat -> bool) (at_ : part) (f : nat -> bool) : mistake :=
  match find_bad n 0 (fun s => if on s then f s else true) with
  | Some s => Some (at_, s)
  | None => None
  end.

(* What follows from classes, for properties of all kinds *)
Section Classes.
Variables (m : lts) (c : claims) (x : index).

Definition has_out (k : class) (s : nat) : bool := own m s && any (degree m s) (fun i => same (class_of c s i) k).
Definition neutral_in (s k : nat) : bool := same (class_of c (source x s k) (place x s k)) Neutral.

Definition entered_at (s : nat) : bool :=
  match how c with
  | All => all (indegree x s) (fun k => negb (own m (source x s k)) || neutral_in s k)
  | Some_ => all (indegree x s) (fun k => negb (own m (source x s k))) ||
      any (indegree x s) (fun k => own m (source x s k) && neutral_in s k)
  end.

Definition kind_at (s : nat) : option kind :=
  if entered_at s then
    if has_out Correct s then
      if has_out Incorrect s then
        if has_out Neutral s then Some KMixedNeutral else Some KMixed
      else Some KCorrect
    else if has_out Incorrect s then Some KIncorrect else None
  else None.

Definition near (s : nat) : bool := match kind_at s with Some _ => true | None => false end.

(* The neighbourhoods from s on are those in the list; far is the distance of a state. *)
Fixpoint walk (far : nat -> nat) (k s : nat) (xs : list (nat * kind * nat)) : option nat :=
  match k with
  | 0 => match xs with [] => None | (s', _, _) :: _ => Some s' end
  | S k' =>
    match (if listed c s then kind_at s else None) with
    | None => walk far k' (S s) xs
    | Some a =>
      match xs with
      | [] => Some s
      | (s', b, d) :: r =>
        if (s =? s') && same_kind a b && (d =? far s) then walk far k' (S s) r else Some s
      end
    end
  end.

Definition counts_ok : mistake :=
  want count c Correct =? members m c Correct 0 else (AtCorrect, 0) ;;
  want count c Incorrect =? members m c Incorrect 0 else (AtIncorrect, 0) ;;
  want count c Neutral =? members m c Neutral 0 else (AtNeutral, 0) ;;
  want count c Excluded =? members m c Excluded 0 else (AtExcluded, 0).

(* A run is replayed by what it comes to: a state with a number, from where transition i goes on;
   gone tells whether the run is fated there. *)
Section Replay.
Context {P : Type}.
Variables (begin : P) (state number : P -> nat) (go : P -> nat -> P) (gone : P -> bool).

Definition move_ok (v : P) (y : move) : bool :=
  let s := state v in let v' := go v (x_out y) in let t := x_to y in
  (x_from y =? s) && (x_out y <? degree m s) &&
  (x_label y =? label m s (x_out y)) && (t =? target m s (x_out y)) &&
  same (x_class y) (class_of c s (x_out y)) && (x_progress y =? number v') &&
  eqb (x_fated y) (gone v') && eqb (x_near y) (near s) &&
  eqb (x_kept y) (own m s && negb (gone begin) && (near s || near t || (negb (gone v) && gone v'))).

Inductive replayed := Bad (k : nat) | Came (v : P).
Fixpoint replay (k : nat) (v : P) (xs : list move) : replayed :=
  match xs with
  | [] => Came v
  | y :: r => if move_ok v y then replay (S k) (go v (x_out y)) r else Bad k
  end.

Definition counterexample_ok (end_ok : option nat -> list move -> P -> bool) : mistake :=
  match counterexample c with
  | None => want negb (violated c) else (AtAbsent, 0)
  | Some (len, loop, xs) =>
    match replay 0 begin xs with
    | Bad k => Some (AtStep, k)
    | Came v =>
      want len =? size_of xs 0 else (AtLength, len) ;;
      want violated c else (AtEnd, state v) ;;
      want end_ok loop xs v else (AtLoop, state v)
    end
  end.
End Replay.
End Classes.

Section Check.
Variables (m : lts) (p : chain) (c : claims) (e : evidence) (x : index).
Notation n := (steps p).

(* What holds for each transition: the target is listed, and mp and cp of it are as they may be. *)
Definition entry_ok (s : nat) : bool :=
  all (degree m s) (fun i =>
    let l := label m s i in let t := target m s i in
    (t <? size m) && listed c t && (adv p (mp c s) l <=? mp c t) && (cp c t <=? adv p (cp c s) l)).

(* The progress that a run to u with its last label l needs to have made, to make progress j. *)
Definition before (j l : nat) : nat :=
  match j with 0 => 0 | S j' => if does p j l then j' else j end.

Definition first_ok (s : nat) : bool :=
  all (S (mp c s)) (fun j =>
    if (s =? initial m) && (j =? 0) then first e s j =? 0
    else one_more (indegree x s) (fun k =>
      let u := source x s k in let j' := before j (label m u (place x s k)) in
      if j' <=? mp c u then Some (first e u j') else None) (first e s j)).

Definition least_ok (s : nat) : bool :=
  if s =? initial m then (cp c s =? 0) && (least e s =? 0)
  else one_more (indegree x s) (fun k =>
    let u := source x s k in
    if adv p (cp c u) (label m u (place x s k)) =? cp c s then Some (least e u) else None) (least e s).

(* The steps that are left of the last v behind a label; 0 is done. *)
Definition rest (v l : nat) : nat := if does p (S (n - v)) l then v - 1 else v.
Definition next_ (t v : nat) : nat := match v with 0 => 0 | S _ => next e t v end.

Definition ms_ok (s : nat) : bool :=
  (ms c s <=? n) &&
  all (degree m s) (fun i => advS p (ms c (target m s i)) (label m s i) <=? ms c s) &&
  all (ms c s) (fun v' => let v := S v' in
    one_more (degree m s) (fun i =>
      let t := target m s i in let w := rest v (label m s i) in
      if w <=? ms c t then Some (next_ t w) else None) (next e s v)).

Definition cs_ok (s : nat) : bool :=
  if degree m s =? 0 then cs c s =? 0
  else
    (cs c s <=? n) &&
    all (degree m s) (fun i => cs c s <=? advS p (cs c (target m s i)) (label m s i)) &&
    any (degree m s) (fun i => cs c s =? advS p (cs c (target m s i)) (label m s i)) &&
    all (cs c s) (fun v' => let v := S v' in let d := due e s v in
      (1 <=? d) &&
      all (degree m s) (fun i => does p (S (n - v)) (label m s i) || (S (due e (target m s i) v) <=? d)) &&
      ((d =? 1) || any (degree m s) (fun i =>
        negb (does p (S (n - v)) (label m s i)) && (S (due e (target m s i) v) =? d)))).

Definition class_at (s i : nat) : class :=
  let l := label m s i in let t := target m s i in
  if n <=? adv p (cp c s) l + cs c t then Correct
  else if adv p (mp c s) l + ms c t <? n then Incorrect else Neutral.

Definition class_ok (s : nat) : bool := all (degree m s) (fun i => same (class_of c s i) (class_at s i)).

(* Counterexamples *)
Definition lost (s j : nat) : bool := j + ms c s <? n.
Definition go (v : nat * nat) (i : nat) : nat * nat :=
  (target m (fst v) i, adv p (snd v) (label m (fst v) i)).
Definition gone (v : nat * nat) : bool := lost (fst v) (snd v).

(* The progress of going round a loop for ever. *)
Fixpoint settled (k j : nat) (loop : list move) : nat :=
  match k with
  | 0 => j
  | S k' => if (j <? n) && existsb (fun y => does p (S j) (x_label y)) loop then settled k' (S j) loop else j
  end.

Definition end_ok (loop : option nat) (xs : list move) (v : nat * nat) : bool :=
  let s := fst v in let j := snd v in
  match loop with
  | None => (degree m s =? 0) && (j <? n)
  | Some k =>
    match skipn k xs with
    | [] => false
    | y :: r => (x_from y =? s) && (settled n j (y :: r) <? n)
    end
  end.

(* Transitions from a state that was added do no step, and there is one. *)
Definition begin_ok : bool :=
  negb (added m) ||
  (negb (degree m (initial m) =? 0) && all (degree m (initial m)) (fun i => all (S n) (fun j => negb (does p j (label m (initial m) i))))).

Definition check : mistake :=
  want begin_ok else (AtBegin, initial m) ;;
  want (initial m <? size m) && listed c (initial m) else (AtInitial, initial m) ;;
  each (size m) (listed c) AtRange (fun s => mp c s <=? n) ;;
  each (size m) (listed c) AtEntry entry_ok ;;
  each (size m) (listed c) AtIndex (index_ok m (listed c) x) ;;
  each (size m) (listed c) AtFirst first_ok ;;
  each (size m) (listed c) AtLeast least_ok ;;
  each (size m) (listed c) AtCommonSuffix cs_ok ;;
  each (size m) (listed c) AtMaxSuffix ms_ok ;;
  want eqb (violated c) (negb (cs c (initial m) =? n)) else (AtVerdict, initial m) ;;
  each (size m) (listed c) AtClass class_ok ;;
  counts_ok m c ;;
  match walk m c x (fun s => first e s 0 - ahead m) (size m) 0 (neighbourhoods c) with Some s => Some (AtNeighbourhood, s) | None => None end ;;
  counterexample_ok m c x (initial m, 0) fst snd go gone end_ok.
End Check.
