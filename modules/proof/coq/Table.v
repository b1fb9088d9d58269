(* Certificates of properties that are no chains: what they claim, and their checker. *)
From Coq Require Import List Arith Bool.
From InevProof Require Import Lts Chain Check Acceptance.
Import ListNotations.

(* The traces that satisfy the property *)
Definition property_of (a : automaton) (r : trace) : Prop := satisfies_from a (start a) r.

(* The state of the automaton where runs begin: behind the transitions from a state that was added *)
Definition first_state (m : lts) (a : automaton) : nat :=
  if added m then after_ a (start a) (label m (initial m) 0) else start a.

(* A place is a state of the model with the state of the automaton on the way to it. What is claimed
   of the places 0 to amount-1: how far they are, whether some run from there satisfies the
   property, and whether some run violates it. *)
Record places := Places {
  amount : nat; state_at : nat -> nat; q_at : nat -> nat; far : nat -> nat; sat : nat -> bool; vio : nat -> bool }.

(* All claims of a certificate are true. Those of prefixes and suffixes are for chains only. *)
Record true_table (m : lts) (a : automaton) (c : claims) (k : places) : Prop := {
  t_begin : added m = true -> forall l t, step m (initial m) l t -> after_ a (start a) l = first_state m a;
  t_verdict : if violated c then exists b r, begins m b /\ maximal m b r /\ ~ satisfies_from a (first_state m a) r
              else forall b r, begins m b -> maximal m b r -> satisfies_from a (first_state m a) r;
  t_states : forall s, listed c s = true /\ s < size m <-> reachable m s;
  t_places : forall s q, (exists v, v < amount k /\ state_at k v = s /\ q_at k v = q) <->
    exists w, run m (initial m) w s /\ nexts a (start a) w = q;
  t_far : forall v, v < amount k ->
    (exists w, run m (initial m) w (state_at k v) /\ nexts a (start a) w = q_at k v /\ length w = far k v) /\
    (forall w, run m (initial m) w (state_at k v) -> nexts a (start a) w = q_at k v -> far k v <= length w);
  t_sat : forall v, v < amount k ->
    (sat k v = true <-> exists r, maximal m (state_at k v) r /\ satisfies_from a (q_at k v) r);
  t_vio : forall v, v < amount k ->
    (vio k v = true <-> exists r, maximal m (state_at k v) r /\ ~ satisfies_from a (q_at k v) r);
  t_class : forall s i, reachable m s -> i < degree m s ->
    has_class m (maximal m) (property_of a) (class_of c s i) s (label m s i) (target m s i);
  t_count : forall j, count c j = members m c j 0;
  t_neighbourhoods : forall s j d, In (s, j, d) (neighbourhoods c) <->
    neighbourhood m (maximal m) (property_of a) (how c) s j /\ distance m s d;
  t_counterexample : match counterexample c with
    | None => violated c = false
    | Some (length_, loop, xs) => violated c = true /\ length_ = length xs /\
        (* It ends where no run satisfies the property any more, or goes on for ever. *)
        match loop with
        | None => exists s, run m (initial m) (word xs) s /\ fated_after (maximal m) (property_of a) (word xs) s
        | Some _ => maximal m (initial m) (trace_of loop xs) /\ ~ property_of a (trace_of loop xs)
        end /\
        forall before x behind, xs = before ++ x :: behind ->
          right_step m (maximal m) (property_of a) c (nexts a (start a)) (word before) x
    end }.

(* Where places stand: those of s are range s to range (s+1) - 1; transition i of place v leads to
   place goes v i; the index is that of the places. A run that goes round the loop of the
   counterexample lead times comes to a state of the automaton that recurs every period times.
   Nothing of it is believed. *)
Record layout := Layout {
  origin : nat; range : nat -> nat; goes : nat -> nat -> nat; into : index; lead : nat; period : nat }.

(* The evidence for one side, runs that satisfy the property or runs that violate it. rank and missing are
   by pair and place; of home h, from 1, root is a place, which the number of the pair, inside a
   place with a transition that stays there, shown_at one with a transition that has the colour. *)
Record side := Side {
  settle : nat -> nat; home : nat -> nat; from : nat -> nat; to : nat -> nat;
  rank : nat -> nat -> nat; missing : nat -> nat -> nat;
  homes : nat; root : nat -> nat; which : nat -> nat; inside : nat -> nat * nat; shown_at : nat -> nat -> nat * nat }.

Definition everything (_ : nat) : bool := true.

Section Table.
Variables (m : lts) (a : automaton) (c : claims) (k : places) (y : layout).

(* The places as a model of their own *)
Definition product : lts :=
  Lts (amount k) (origin y) false (fun v => degree m (state_at k v)) (fun v => label m (state_at k v)) (goes y).

Definition width (s : nat) : nat := range y (S s) - range y s.

Definition order_ok (s : nat) : bool :=
  eqb (listed c s) (range y s <? range y (S s)) &&
  all_from (width s) (range y s) (fun v => (v <? amount k) && (state_at k v =? s) &&
    ((S v =? range y (S s)) || (q_at k v <? q_at k (S v)))).

Definition place_ok (v : nat) : bool :=
  let s := state_at k v in
  (s <? size m) && (range y s <=? v) && (v <? range y (S s)) &&
  all (degree m s) (fun i => let t := goes y v i in
    (t <? amount k) && (state_at k t =? target m s i) && (q_at k t =? after_ a (q_at k v) (label m s i))).

Definition far_ok (v : nat) : bool :=
  if v =? origin y then far k v =? 0
  else one_more (indegree (into y) v) (fun j => Some (far k (source (into y) v j))) (far k v).

Section Side.
Variables (violating : bool) (can : nat -> bool) (stop : nat -> bool) (ps : list pair_) (e : side).

Definition has_at (v i : nat) : nat -> bool := has a (q_at k v) (label m (state_at k v) i).

Fixpoint ranked_at (j : nat) (us : list pair_) (v i : nat) : bool :=
  match us with
  | [] => true
  | u :: r =>
    let t := goes y v i in let b := missing e j v in
    (existsb (has_at v i) (fst u) || (rank e j t <? rank e j v) ||
      ((rank e j t =? rank e j v) && (missing e j t =? b) && (1 <=? b) &&
       existsb (Nat.eqb (b - 1)) (snd u) && negb (has_at v i (b - 1)))) && ranked_at (S j) r v i
  end.

(* Some run from v is of the side: it ends, has a home, or comes nearer to such a place. Or none is. *)
Definition side_ok (v : nat) : bool :=
  let d := degree m (state_at k v) in
  if can v then
    if d =? 0 then (home e v =? 0) && stop (q_at k v) && (settle e v =? 0)
    else if 1 <=? home e v then (home e v <=? homes e) && (settle e v =? 0)
    else one_more d (fun i => let t := goes y v i in if can t then Some (settle e t) else None) (settle e v)
  else
    (negb (d =? 0) || negb (stop (q_at k v))) &&
    all d (fun i => negb (can (goes y v i)) && ranked_at 0 ps v i).

Definition pair_at (h : nat) : pair_ := nth (which e h) ps ([], []).

(* Transition i of place v stays in home h without a colour that its pair bans. *)
Definition stays_ok (h v i : nat) : bool :=
  let t := goes y v i in
  can v && (home e v =? h) && can t && (home e t =? h) && negb (existsb (has_at v i) (fst (pair_at h))).
Definition there (h : nat) (vi : nat * nat) : bool :=
  (fst vi <? amount k) && (snd vi <? degree m (state_at k (fst vi))) && stays_ok h (fst vi) (snd vi).

Definition home_ok (h' : nat) : bool :=
  let h := S h' in
  (root e h <? amount k) && can (root e h) && (home e (root e h) =? h) && (which e h <? size_of ps 0) &&
  there h (inside e h) &&
  forallb (fun b => let vi := shown_at e h b in there h vi && has_at (fst vi) (snd vi) b) (snd (pair_at h)).

Definition home_place_ok (v : nat) : bool :=
  let h := home e v in
  if can v && (1 <=? h) then
    if v =? root e h then (from e v =? 0) && (to e v =? 0)
    else
      one_more (degree m (state_at k v)) (fun i => if stays_ok h v i then Some (to e (goes y v i)) else None) (to e v) &&
      one_more (indegree (into y) v) (fun j =>
        let u := source (into y) v j in
        if stays_ok h u (place (into y) v j) then Some (from e u) else None) (from e v)
  else true.

Definition check_side : mistake :=
  each (amount k) everything (AtSide violating) side_ok ;;
  each (homes e) everything (AtHome violating) home_ok ;;
  each (amount k) everything (AtHomePlace violating) home_place_ok.
End Side.

Definition table_class_at (s i : nat) : class :=
  let some (can : nat -> bool) := any_from (width s) (range y s) (fun v => can (goes y v i)) in
  if some (vio k) then if some (sat k) then Neutral else Incorrect else Correct.

Definition table_class_ok (s : nat) : bool :=
  all (degree m s) (fun i => same (class_of c s i) (table_class_at s i)).

Fixpoint least_far (n v : nat) : nat :=
  match n with
  | 0 => 0
  | S n' => match n' with
    | 0 => far k v
    | S _ => let d := least_far n' (S v) in if far k v <=? d then far k v else d
    end
  end.
Definition nearest (s : nat) : nat := least_far (width s) (range y s).

(* Counterexamples *)
Fixpoint evaluate (x : condition) (f : nat -> bool) : bool :=
  match x with
  | Always_ b => b
  | Inf b => f b
  | Fin b => negb (f b)
  | And x y => evaluate x f && evaluate y f
  | Or x y => evaluate x f || evaluate y f
  end.

Fixpoint shown_in (b q : nat) (w : list (nat * nat)) : bool :=
  match w with [] => false | (l, _) :: w' => has a q l b || shown_in b (after_ a q l) w' end.
Fixpoint turn (w : list (nat * nat)) (n q : nat) : nat :=
  match n with 0 => q | S n' => turn w n' (nexts a q w) end.
Fixpoint shown_rounds (b : nat) (w : list (nat * nat)) (n q : nat) : bool :=
  match n with 0 => false | S n' => shown_in b q w || shown_rounds b w n' (nexts a q w) end.

Definition round_ok (w : list (nat * nat)) (q : nat) : bool :=
  let q' := turn w (lead y) q in
  (1 <=? period y) && (turn w (period y) q' =? q') &&
  negb (evaluate (accepts_by a) (fun b => shown_rounds b w (period y) q')).

Definition table_end_ok (loop : option nat) (xs : list move) (v : nat) : bool :=
  match loop with
  | None => negb (sat k v)
  | Some n =>
    match skipn n xs with
    | [] => false
    | z :: r => (x_from z =? state_at k v) && round_ok (word (z :: r)) (q_at k v)
    end
  end.

Variables (good bad : side) (x : index).

(* Transitions from a state that was added lead to one state of the automaton, and there is one. *)
Definition table_begin_ok : bool :=
  negb (added m) ||
  (negb (degree m (initial m) =? 0) && all (degree m (initial m)) (fun i => after_ a (start a) (label m (initial m) i) =? first_state m a)).

Definition check_table : mistake :=
  want table_begin_ok else (AtBegin, initial m) ;;
  want (origin y <? amount k) && (state_at k (origin y) =? initial m) && (q_at k (origin y) =? start a)
    else (AtInitial, initial m) ;;
  each (size m) everything AtOrder order_ok ;;
  each (amount k) everything AtPlace place_ok ;;
  each (amount k) everything AtIndex (index_ok product everything (into y)) ;;
  each (size m) (listed c) AtIndex (index_ok m (listed c) x) ;;
  each (amount k) everything AtFar far_ok ;;
  check_side false (sat k) (stops a) (pairs (accepts_by a)) good ;;
  check_side true (vio k) (fun q => negb (stops a q)) (pairs (dual (accepts_by a))) bad ;;
  want eqb (violated c) (vio k (origin y)) else (AtVerdict, initial m) ;;
  each (size m) (listed c) AtClass table_class_ok ;;
  counts_ok m c ;;
  match Check.walk m c x (fun s => nearest s - ahead m) (size m) 0 (neighbourhoods c) with Some s => Some (AtNeighbourhood, s) | None => None end ;;
  counterexample_ok m c x (origin y) (state_at k) (q_at k) (goes y) (fun v => negb (sat k v)) table_end_ok.
End Table.
