(* The checker of certificates under assumptions. Prefixes, classes of admitted transitions, neighbourhoods and the steps
   of the counterexample are looked at as ever. *)
From Coq Require Import List Arith Bool.
From InevProof Require Import Lts Chain Check Fair.
Import ListNotations.

(* The evidence besides that of all chains. adm tells whether some run from a state counts. home is 0, or one more than
   the root of the set that a fair run stays in, with the distances from the root and to it. within s v is the set
   in which s has the rank due s v. A set neglects tasks, only one if that is weak. shown h k is a transition of home h that
   belongs to task k, by its state and its number there; idle h k a state in it that does not enable k. *)
Record fair_evidence := FairEvidence {
  adm : nat -> bool; settle : nat -> nat; home : nat -> nat; from : nat -> nat; back : nat -> nat;
  within : nat -> nat -> nat; sets : nat; parent : nat -> nat; set_rank : nat -> nat;
  only : nat -> option nat; neglects : nat -> nat -> bool;
  shown : nat -> nat -> nat * nat; idle : nat -> nat -> nat }.

Section FairCheck.
Variables (m : lts) (p : chain) (f : assumption) (c : claims) (e : evidence) (g : fair_evidence) (x : index).
Notation n := (steps p).

Definition excludes : bool := match rare f with Some _ => true | None => false end.

(* Of a state that is not admitted *)
Definition outcast_ok (s : nat) : bool :=
  negb (degree m s =? 0) && (ms c s =? 0) && (cs c s =? 0) && (home g s =? 0) && (settle g s =? 0) &&
  all (degree m s) (fun i => negb (adm g (target m s i))).

Definition fair_ms_ok (s : nat) : bool :=
  (ms c s <=? n) &&
  all (degree m s) (fun i => negb (adm g (target m s i)) || (advS p (ms c (target m s i)) (label m s i) <=? ms c s)) &&
  all (ms c s) (fun v' => let v := S v' in
    one_more (degree m s) (fun i =>
      let t := target m s i in let w := rest p v (label m s i) in
      if adm g t && (w <=? ms c t) then Some (next_ e t w) else None) (next e s v)).

Definition fair_cs_ok (s : nat) : bool :=
  if degree m s =? 0 then cs c s =? 0
  else
    (cs c s <=? n) &&
    all (degree m s) (fun i => negb (adm g (target m s i)) || (cs c s <=? advS p (cs c (target m s i)) (label m s i))) &&
    any (degree m s) (fun i => adm g (target m s i) && (cs c s =? advS p (cs c (target m s i)) (label m s i))).

Definition suffix_ok (s : nat) : bool := if adm g s then fair_cs_ok s && fair_ms_ok s else outcast_ok s.

(* Transition i of s stays in home h. *)
Definition stays_at (h s i : nat) : bool :=
  (home g (target m s i) =? h) && negb (is_rare f (label m s i)) && (advS p (cs c s) (label m s i) =? cs c s).

Definition home_ok (s : nat) : bool :=
  match home g s with
  | 0 => true
  | S root =>
    let h := S root in
    (root <? size m) && listed c root && (home g root =? h) && (cs c root =? cs c s) &&
    any (degree m s) (stays_at h s) && (negb (full f) || all (degree m s) (stays_at h s)) &&
    (if s =? root then (from g s =? 0) && (back g s =? 0)
     else
       one_more (degree m s) (fun i => if stays_at h s i then Some (back g (target m s i)) else None) (back g s) &&
       one_more (indegree x s) (fun k =>
         let u := source x s k in
         if (home g u =? h) && stays_at h u (Check.place x s k) then Some (from g u) else None) (from g s))
  end.

(* Transition i of s belongs to task k. *)
Definition belongs (s i k : nat) : bool := negb (nonstuttering f k) || negb (target m s i =? s).
Definition of_task (s i k : nat) : bool := existsb (Nat.eqb k) (tasks_of f (label m s i)) && belongs s i k.
Definition enabled (s k : nat) : bool := any (degree m s) (fun i => of_task s i k).

Definition tasks_ok (s : nat) : bool :=
  let h := home g s in
  (h =? 0) || full f ||
  all (degree m s) (fun i => forallb (fun k =>
    negb (belongs s i k) ||
    (let ui := shown g h k in let u := fst ui in
     (u <? size m) && listed c u && (home g u =? h) && (snd ui <? degree m u) && stays_at h u (snd ui) && of_task u (snd ui) k) ||
    (negb (strong f k) &&
     (let u := idle g h k in (u <? size m) && listed c u && (home g u =? h) && negb (enabled u k))))
    (tasks_of f (label m s i))).

Definition settle_ok (s : nat) : bool :=
  if adm g s then
    if (degree m s =? 0) || negb (home g s =? 0) || ((cs c s =? n) && negb excludes) then settle g s =? 0
    else one_more (degree m s) (fun i =>
      let t := target m s i in
      if adm g t && (advS p (cs c t) (label m s i) =? cs c s) then Some (if cs c t <? cs c s then 0 else settle g t) else None)
      (settle g s)
  else true.

(* A run can take transition i of s again and again, and not do step n-v+1; or, where no run counts, not count. *)
Definition goes_on (v s i : nat) : bool :=
  let l := label m s i in
  negb (is_rare f l) && (if adm g s then adm g (target m s i) && negb (does p (S (n - v)) l) else true).

Definition levels (s : nat) : nat := if adm g s then cs c s else 1.

(* The smallest set with a and b, and the largest ones within it that have a and b; 0 for none. *)
Fixpoint meet (fuel a b below other : nat) : nat * nat * nat :=
  match fuel with
  | 0 => (0, 0, 0)
  | S fuel' =>
    if a =? b then (a, below, other)
    else if b <? a then meet fuel' (parent g a) b a other
    else meet fuel' a (parent g b) below b
  end.

Definition neglected_by (a k : nat) : bool :=
  if a =? 0 then false else match only g a with Some k' => k =? k' | None => strong f k && neglects g a k end.
(* Neither a nor a set that has it neglects a task of the transition. *)
Fixpoint fair_within (fuel a s i : nat) : bool :=
  match fuel with
  | 0 => false
  | S fuel' =>
    if a =? 0 then true
    else forallb (fun k => negb (belongs s i k && neglected_by a k)) (tasks_of f (label m s i)) && fair_within fuel' (parent g a) s i
  end.

Definition weak_set (a : nat) : bool := match only g a with Some _ => true | None => false end.

Definition rank_ok (v s : nat) : bool :=
  let a := within g s v in let r := due e s v in
  (a <=? sets g) &&
  (if r =? 0 then
     negb (a =? 0) && any (degree m s) (fun i => existsb (fun k => belongs s i k && neglected_by a k) (tasks_of f (label m s i)))
   else (a =? 0) || negb (weak_set a)) &&
  all (degree m s) (fun i =>
    negb (goes_on v s i) ||
    (let t := target m s i in let b := within g t v in
     match meet (S (a + b)) a b 0 0 with
     | (common, below, other) =>
       fair_within (S common) common s i &&
       (((below =? 0) && (r =? 0)) ||
        ((if other =? 0 then due e t v else set_rank g other) <? (if below =? 0 then r else set_rank g below)))
     end)).

Definition due_ok (s : nat) : bool :=
  all (levels s) (fun v' => let v := S v' in
    if full f then one_more (degree m s) (fun i => Some (if goes_on v s i then due e (target m s i) v else 0)) (due e s v)
    else rank_ok v s).

Definition set_ok (a' : nat) : bool :=
  let a := S a' in (parent g a <? a) && ((parent g a =? 0) || negb (weak_set (parent g a))).

Definition fair_class_ok (s : nat) : bool :=
  all (degree m s) (fun i => same (class_of c s i) (if adm g (target m s i) then class_at m p c s i else Excluded)).

Definition fair_gone (v : nat * nat) : bool := negb (adm g (fst v)) || lost p c (fst v) (snd v).

(* A counterexample is a trap, or goes round a loop that is fair: without rare labels, and each task that a
   state on it enables is taken on it or, if it is weak, disabled somewhere on it. *)
Definition of_task_at (y : move) (k : nat) : bool := of_task (x_from y) (x_out y) k.
Definition loop_fair (ys : list move) : bool :=
  forallb (fun y =>
    negb (is_rare f (x_label y)) &&
    all (degree m (x_from y)) (fun i => forallb (fun k =>
      negb (belongs (x_from y) i k) || existsb (fun z => of_task_at z k) ys ||
      (negb (strong f k) && existsb (fun z => negb (enabled (x_from z) k)) ys))
      (tasks_of f (label m (x_from y) i)))) ys.

Definition fair_end_ok (loop : option nat) (xs : list move) (v : nat * nat) : bool :=
  let s := fst v in let j := snd v in
  match loop with
  | None => adm g s && lost p c s j
  | Some k =>
    match skipn k xs with
    | [] => false
    | y :: r => negb (full f) && (x_from y =? s) && (settled p n j (y :: r) <? n) && loop_fair (y :: r)
    end
  end.

Definition check_fair : mistake :=
  want begin_ok m p else (AtBegin, initial m) ;;
  each (size m) (fun _ => true) AtIndex (fun s => all (degree m s) (fun i => target m s i <? size m)) ;;
  want (initial m <? size m) && listed c (initial m) else (AtInitial, initial m) ;;
  each (size m) (listed c) AtRange (fun s => mp c s <=? n) ;;
  each (size m) (listed c) AtEntry (entry_ok m p c) ;;
  each (size m) (listed c) AtIndex (index_ok m (listed c) x) ;;
  each (size m) (listed c) AtFirst (first_ok m p c e x) ;;
  each (size m) (listed c) AtLeast (least_ok m p c e x) ;;
  each (size m) (listed c) AtSuffix suffix_ok ;;
  each (size m) (listed c) AtStay home_ok ;;
  each (size m) (listed c) AtTask tasks_ok ;;
  each (size m) (listed c) AtSettle settle_ok ;;
  each (sets g) (fun _ => true) AtSet set_ok ;;
  each (size m) (listed c) AtRank due_ok ;;
  want adm g (initial m) else (AtAdmitted, initial m) ;;
  want eqb (violated c) (negb (cs c (initial m) =? n)) else (AtVerdict, initial m) ;;
  each (size m) (listed c) AtClass fair_class_ok ;;
  counts_ok m c ;;
  match Check.walk m c x (fun s => first e s 0 - ahead m) (size m) 0 (neighbourhoods c) with Some s => Some (AtNeighbourhood, s) | None => None end ;;
  counterexample_ok m c x (initial m, 0) fst snd (go m p) fair_gone fair_end_ok.
End FairCheck.
