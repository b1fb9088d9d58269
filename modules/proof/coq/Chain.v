(* The property Inev(k1, ..., kn), and what is said of a model that is explained by it. These
   are the definitions of docs/semantics.md; the number behind a name is that in SEFM 2018. *)
From Coq Require Import List Arith Lia Bool.
From InevProof Require Import Lts.
Import ListNotations.

(* n steps; does i l tells whether label l does step i, for i from 1 to n. *)
Record chain := Chain { steps : nat; does : nat -> nat -> bool }.

(* The trace does the steps i+1 to n in this order, with anything before, between and after. *)
Inductive contains (p : chain) : nat -> trace -> Prop :=
| contains_done i r : steps p <= i -> contains p i r
| contains_step i l t r : does p (S i) l = true -> contains p (S i) r -> contains p i (Move l t r)
| contains_later i l t r : contains p i r -> contains p i (Move l t r).

Definition satisfies (p : chain) (r : trace) : Prop := contains p 0 r.

(* The trace contains the last v steps. *)
Definition has_suffix (p : chain) (v : nat) (r : trace) : Prop := contains p (steps p - v) r.

(* Progress from the left, of a label and of a finite run; progress from the right. *)
Definition adv (p : chain) (j l : nat) : nat := if (j <? steps p) && does p (S j) l then S j else j.
Fixpoint progress (p : chain) (j : nat) (w : list (nat * nat)) : nat :=
  match w with [] => j | (l, _) :: w' => progress p (adv p j l) w' end.
Definition advS (p : chain) (v l : nat) : nat :=
  if (v <? steps p) && does p (steps p - v) l then S v else v.

Section Values.
Variables (m : lts) (p : chain).

(* mp and cp, Definition 7: the largest and smallest progress over all runs to s. *)
Definition max_prefix (s v : nat) : Prop :=
  (exists w, run m (initial m) w s /\ progress p 0 w = v) /\
  (forall w, run m (initial m) w s -> progress p 0 w <= v).
Definition common_prefix (s v : nat) : Prop :=
  (exists w, run m (initial m) w s /\ progress p 0 w = v) /\
  (forall w, run m (initial m) w s -> v <= progress p 0 w).

End Values.

(* What follows is said of any traces that count: counts s r tells of the trace r from s. They are the
   maximal ones; under assumptions, those of the maximal ones that meet these. *)
Section Counts.
Variables (m : lts) (counts : nat -> trace -> Prop).

(* ms and cs, Definition 8: the longest suffix that some, and that every trace from s contains. *)
Definition max_suffix (p : chain) (s v : nat) : Prop :=
  v <= steps p /\ (exists r, counts s r /\ has_suffix p v r) /\
  (forall r v', v' <= steps p -> counts s r -> has_suffix p v' r -> v' <= v).
Definition common_suffix (p : chain) (s v : nat) : Prop :=
  v <= steps p /\ (forall r, counts s r -> has_suffix p v r) /\
  (exists r, counts s r /\ forall v', v' <= steps p -> has_suffix p v' r -> v' <= v).

(* Some trace goes on from s, which is so of each state if all maximal ones count. *)
Definition admitted (s : nat) : Prop := exists r, counts s r.

(* What follows is said of any property: good are the traces that satisfy it. *)
Variable good : trace -> Prop.

(* The class of the transition s -l-> t, Definitions 10 and 11: whether all, none or some of
   the traces through it satisfy the property; or there is none. *)
Inductive class := Correct | Incorrect | Neutral | Excluded.
Definition has_class (c : class) (s l t : nat) : Prop :=
  match c with
  | Correct => admitted t /\ forall w r, run m (initial m) w s -> counts t r -> good (after w (Move l t r))
  | Incorrect => admitted t /\ forall w r, run m (initial m) w s -> counts t r -> ~ good (after w (Move l t r))
  | Neutral =>
      (exists w r, run m (initial m) w s /\ counts t r /\ good (after w (Move l t r))) /\
      (exists w r, run m (initial m) w s /\ counts t r /\ ~ good (after w (Move l t r)))
  | Excluded => ~ admitted t
  end.

(* Some transition of a class leaves s, a state of the system. *)
Definition leaves (c : class) (s : nat) : Prop := own m s = true /\ exists l t, step m s l t /\ has_class c s l t.

(* How a neighbourhood is entered: by neutral transitions only or, in the other reading, by
   some; or not at all. *)
Inductive reading := All | Some_.
Definition entered (read : reading) (s : nat) : Prop :=
  match read with
  | All => forall u l, reachable m u -> own m u = true -> step m u l s -> has_class Neutral u l s
  | Some_ => (forall u l, reachable m u -> own m u = true -> ~ step m u l s) \/
             (exists u l, reachable m u /\ own m u = true /\ step m u l s /\ has_class Neutral u l s)
  end.

(* Neighbourhoods with their kinds, Definition 12. *)
Inductive kind := KCorrect | KIncorrect | KMixedNeutral | KMixed.
Definition neighbourhood (read : reading) (s : nat) (k : kind) : Prop :=
  reachable m s /\ entered read s /\
  match k with
  | KCorrect => leaves Correct s /\ ~ leaves Incorrect s
  | KIncorrect => leaves Incorrect s /\ ~ leaves Correct s
  | KMixedNeutral => leaves Correct s /\ leaves Incorrect s /\ leaves Neutral s
  | KMixed => leaves Correct s /\ leaves Incorrect s /\ ~ leaves Neutral s
  end.

(* A run that has come to s is fated: no continuation satisfies the property. *)
Definition fated_after (w : list (nat * nat)) (s : nat) : Prop :=
  forall r, counts s r -> ~ good (after w r).
End Counts.

(* What a step of a counterexample says. *)
Record move := MkMove {
  x_from : nat; x_out : nat; x_label : nat; x_to : nat; x_class : class; x_progress : nat;
  x_fated : bool; x_near : bool; x_kept : bool }.

Definition word (xs : list move) : list (nat * nat) := map (fun x => (x_label x, x_to x)) xs.

(* The trace that a counterexample is: it ends, or goes on for ever round its loop. *)
Definition trace_of (loop : option nat) (xs : list move) : trace :=
  match loop with
  | None => after (word xs) Stop
  | Some k => after (word (firstn k xs)) (rounds (word (skipn k xs)) [])
  end.

(* What a certificate says. Of states and transitions that are not listed, it says nothing. *)
Record claims := Claims {
  violated : bool;
  listed : nat -> bool;
  mp : nat -> nat; cp : nat -> nat; ms : nat -> nat; cs : nat -> nat;
  class_of : nat -> nat -> class;
  count : class -> nat;
  how : reading;
  neighbourhoods : list (nat * kind * nat);
  counterexample : option (nat * option nat * list move) }.

Fixpoint sum (n : nat) (f : nat -> nat) (acc : nat) : nat :=
  match n with 0 => acc | S n' => sum n' f (f n' + acc) end.

Definition same (a b : class) : bool :=
  match a, b with Correct, Correct | Incorrect, Incorrect | Neutral, Neutral | Excluded, Excluded => true | _, _ => false end.

(* How many listed transitions of the system are said to be of a class. *)
Definition members (m : lts) (c : claims) (k : class) (acc : nat) : nat :=
  sum (size m) (fun s => if listed c s && own m s
    then sum (degree m s) (fun i => if same (class_of c s i) k then 1 else 0) 0 else 0) acc.

Section Steps.
Variables (m : lts) (counts : nat -> trace -> Prop) (good : trace -> Prop) (c : claims).
(* The progress of a run; of properties that are no chains, the state of the automaton behind it *)
Variable number : list (nat * nat) -> nat.

Definition is_near (s : nat) : Prop := exists k, neighbourhood m counts good (how c) s k.

(* What is said of step x, which is taken after the run w. *)
Definition right_step (w : list (nat * nat)) (x : move) : Prop :=
  let w' := w ++ [(x_label x, x_to x)] in
  run m (initial m) w (x_from x) /\
  x_out x < degree m (x_from x) /\
  x_label x = label m (x_from x) (x_out x) /\ x_to x = target m (x_from x) (x_out x) /\
  has_class m counts good (x_class x) (x_from x) (x_label x) (x_to x) /\
  x_progress x = number w' /\
  (x_fated x = true <-> fated_after counts good w' (x_to x)) /\
  (x_near x = true <-> is_near (x_from x)) /\
  (x_kept x = true <-> own m (x_from x) = true /\ ~ fated_after counts good [] (initial m) /\
     (is_near (x_from x) \/ is_near (x_to x) \/
      (~ fated_after counts good w (x_from x) /\ fated_after counts good w' (x_to x)))).
End Steps.

Section Claims.
Variables (m : lts) (p : chain) (counts : nat -> trace -> Prop) (c : claims).

(* A counterexample is a trace that counts and violates the property. If it may be a trap, it may also
   stop where traces go on that count, and none of them satisfies the property. *)
Definition violates (trap : bool) (loop : option nat) (xs : list move) : Prop :=
  (counts (initial m) (trace_of loop xs) /\ ~ satisfies p (trace_of loop xs)) \/
  (trap = true /\ loop = None /\
   exists s, run m (initial m) (word xs) s /\ admitted counts s /\ fated_after counts (satisfies p) (word xs) s).

Variable trap : bool.

(* All claims of a certificate are true. *)
Record true_claims : Prop := {
  right_begin : added m = true -> forall l t i, step m (initial m) l t -> i <= steps p -> does p i l = false;
  right_verdict : if violated c then exists b r, begins m b /\ counts b r /\ ~ satisfies p r
                  else forall b r, begins m b -> counts b r -> satisfies p r;
  right_states : forall s, listed c s = true /\ s < size m <-> reachable m s;
  right_mp : forall s, reachable m s -> max_prefix m p s (mp c s);
  right_cp : forall s, reachable m s -> common_prefix m p s (cp c s);
  right_ms : forall s, reachable m s -> admitted counts s -> max_suffix counts p s (ms c s);
  right_cs : forall s, reachable m s -> admitted counts s -> common_suffix counts p s (cs c s);
  right_class : forall s i, reachable m s -> i < degree m s ->
    has_class m counts (satisfies p) (class_of c s i) s (label m s i) (target m s i);
  right_count : forall k, count c k = members m c k 0;
  right_neighbourhoods : forall s k d, In (s, k, d) (neighbourhoods c) <->
    neighbourhood m counts (satisfies p) (how c) s k /\ distance m s d;
  right_counterexample : match counterexample c with
    | None => violated c = false
    | Some (length_, loop, xs) => violated c = true /\ length_ = length xs /\ violates trap loop xs /\
        forall before x behind, xs = before ++ x :: behind -> right_step m counts (satisfies p) c (progress p 0) (word before) x
    end }.
End Claims.

(* Facts about progress: (M), (G) and what follows. *)
Section Facts.
Variable p : chain.
Notation n := (steps p).

Lemma adv_ge j l : j <= adv p j l.
Proof. unfold adv. destruct (_ && _); lia. Qed.

Lemma adv_le j l : j <= n -> adv p j l <= n.
Proof. unfold adv. destruct (j <? n) eqn:E; simpl; [apply Nat.ltb_lt in E; destruct (does _ _ _); lia|lia]. Qed.

Lemma adv_mono j j' l : j <= j' -> adv p j l <= adv p j' l.
Proof.
  intros H. destruct (Nat.eq_dec j j') as [->|N]; auto.
  pose proof (adv_ge j' l). enough (adv p j l <= S j) by lia. unfold adv. destruct (_ && _); lia.
Qed.

Lemma advS_ge v l : v <= advS p v l.
Proof. unfold advS. destruct (_ && _); lia. Qed.

Lemma progress_ge w : forall j, j <= progress p j w.
Proof. induction w as [|[l t] w IH]; simpl; auto. intros j. pose proof (adv_ge j l). specialize (IH (adv p j l)). lia. Qed.

Lemma progress_le w : forall j, j <= n -> progress p j w <= n.
Proof. induction w as [|[l t] w IH]; simpl; auto. intros j H. apply IH, adv_le, H. Qed.

Lemma progress_mono w : forall j j', j <= j' -> progress p j w <= progress p j' w.
Proof. induction w as [|[l t] w IH]; simpl; auto. intros. apply IH, adv_mono. auto. Qed.

Lemma progress_app w v : forall j, progress p j (w ++ v) = progress p (progress p j w) v.
Proof. induction w as [|[l t] w IH]; simpl; auto. Qed.

Lemma contains_S i r : contains p i r -> contains p (S i) r.
Proof.
  induction 1.
  - constructor. lia.
  - apply contains_later. auto.
  - apply contains_later. auto.
Qed.

Lemma contains_le i j r : i <= j -> contains p i r -> contains p j r.
Proof. induction 1; auto. intros. apply contains_S. auto. Qed.

Lemma contains_move i l t r : contains p i (Move l t r) <-> contains p (adv p i l) r.
Proof.
  unfold adv. split.
  - intros H. inversion H as [? ? Hn|? ? ? ? Hd Hc|? ? ? ? Hc]; subst.
    + apply contains_done. destruct (_ && _); lia.
    + destruct (Nat.ltb_spec i n); simpl.
      * rewrite Hd. auto.
      * apply contains_done. auto.
    + apply contains_le with i; auto. destruct (_ && _); lia.
  - destruct ((i <? n) && does p (S i) l) eqn:E; intros H.
    + apply andb_true_iff in E. destruct E. apply contains_step; auto.
    + apply contains_later; auto.
Qed.

(* (G): taking each step as early as possible is never worse. *)
Lemma contains_after w : forall i r, contains p i (after w r) <-> contains p (progress p i w) r.
Proof.
  induction w as [|[l t] w IH]; simpl; intros; [tauto|]. rewrite contains_move. apply IH.
Qed.

Lemma contains_stop i : contains p i Stop <-> n <= i.
Proof. split; [inversion 1; auto|apply contains_done]. Qed.

(* An upper bound of suffixes: v never falls short of what a transition brings from behind. *)
Lemma suffix_bound (good : nat -> nat -> nat -> Prop) (v : nat -> nat) :
  (forall s l t, good s l t -> advS p (v t) l <= v s) ->
  forall i r, contains p i r -> i <= n ->
  forall s (path : nat -> trace -> Prop),
    (forall s l t r, path s (Move l t r) -> good s l t /\ path t r) ->
    path s r -> n <= i + v s.
Proof.
  intros Hv i r H. induction H as [i r H|i l t r H _ IH|i l t r _ IH]; intros Hi s path Hp Hs.
  - lia.
  - destruct (Hp _ _ _ _ Hs) as [Hg Ht].
    destruct (Nat.eq_dec i n) as [->|Ni]; [lia|].
    specialize (IH ltac:(lia) t path Hp Ht). specialize (Hv _ _ _ Hg). pose proof (advS_ge (v t) l).
    destruct (Nat.le_gt_cases (n - i) (v t)); [lia|].
    assert (E : v t = n - S i) by lia. rewrite E in Hv. unfold advS in Hv.
    replace (n - S i <? n) with true in Hv by (symmetry; apply Nat.ltb_lt; lia).
    replace (n - (n - S i)) with (S i) in Hv by lia. rewrite H in Hv. simpl in Hv. lia.
  - destruct (Hp _ _ _ _ Hs) as [Hg Ht]. specialize (IH Hi t path Hp Ht). specialize (Hv _ _ _ Hg).
    pose proof (advS_ge (v t) l). lia.
Qed.
End Facts.
