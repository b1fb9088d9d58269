(* Labelled transition systems and their runs. States and labels are numbers. *)
From Coq Require Import List Arith Lia Bool.
Import ListNotations.

(* The states are 0 to size-1. degree tells how many transitions leave a state; the i-th of
   them, counted from 0 in the order of the file, has a label and a target. The initial state may have been
   added before several states in which runs begin. *)
Record lts := Lts {
  size : nat;
  initial : nat;
  added : bool;
  degree : nat -> nat;
  label : nat -> nat -> nat;
  target : nat -> nat -> nat }.

(* Transitions lead from states to states. *)
Definition finite (m : lts) : Prop :=
  initial m < size m /\ forall s i, s < size m -> i < degree m s -> target m s i < size m.

(* s -l-> t *)
Definition step (m : lts) (s l t : nat) : Prop :=
  exists i, i < degree m s /\ label m s i = l /\ target m s i = t.

(* A state that no transition leaves. *)
Definition deadlock (m : lts) (s : nat) : Prop := degree m s = 0.

(* A finite run from one state to another: its labels, each with the state behind it. *)
Inductive run (m : lts) : nat -> list (nat * nat) -> nat -> Prop :=
| run_nil s : run m s [] s
| run_cons s l t w u : step m s l t -> run m t w u -> run m s ((l, t) :: w) u.

(* A sequence of transitions that stops, or goes on for ever. *)
CoInductive trace : Type := Stop | Move (l t : nat) (rest : trace).

(* A maximal trace from a state: it is infinite, or ends in a deadlock. *)
CoInductive maximal (m : lts) : nat -> trace -> Prop :=
| maximal_stop s : deadlock m s -> maximal m s Stop
| maximal_move s l t r : step m s l t -> maximal m t r -> maximal m s (Move l t r).

(* A trace put behind a finite run. *)
Fixpoint after (w : list (nat * nat)) (r : trace) : trace :=
  match w with [] => r | (l, t) :: w' => Move l t (after w' r) end.

(* The trace that goes round a loop for ever, from the place where w is left of the round. *)
CoFixpoint rounds (loop w : list (nat * nat)) : trace :=
  match w with
  | (l, t) :: w' => Move l t (rounds loop w')
  | [] => match loop with [] => Stop | (l, t) :: w' => Move l t (rounds loop w') end
  end.

Definition reachable (m : lts) (s : nat) : Prop := exists w, run m (initial m) w s.

(* Where runs begin; and whether a state is one of the system, and not the one that was added. *)
Definition begins (m : lts) (s : nat) : Prop :=
  if added m then exists l, step m (initial m) l s else s = initial m.
Definition own (m : lts) (s : nat) : bool := negb (added m && (s =? initial m)).

(* The number of transitions of a shortest run to a state. *)
Definition distance (m : lts) (s d : nat) : Prop :=
  (exists b w, begins m b /\ run m b w s /\ length w = d) /\
  (forall b w, begins m b -> run m b w s -> d <= length w).

(* Facts about runs. *)

Lemma step_edge m s i : i < degree m s -> step m s (label m s i) (target m s i).
Proof. intros H. exists i. auto. Qed.

(* How many transitions come before the states where runs begin *)
Definition ahead (m : lts) : nat := if added m then 1 else 0.

Lemma own_begins m : own m (initial m) = negb (added m).
Proof. unfold own. rewrite Nat.eqb_refl, andb_true_r. auto. Qed.

Lemma distance_right m s d : own m s = true ->
  (exists w, run m (initial m) w s /\ length w = d) -> (forall w, run m (initial m) w s -> d <= length w) ->
  distance m s (d - ahead m).
Proof.
  unfold own, distance, begins, ahead. destruct (added m) eqn:Ad; simpl.
  - intros O [w [R E]] L. rewrite negb_true_iff, Nat.eqb_neq in O. split.
    + destruct R as [x|x l t w u St R]; [contradiction|]. exists t, w. simpl in E. split; [eauto|]. split; [auto|lia].
    + intros b v [l St] R'. specialize (L ((l, b) :: v) (run_cons m _ l b v s St R')). simpl in L. lia.
  - intros _ [w [R E]] L. rewrite Nat.sub_0_r. split; [exists (initial m), w; auto|]. intros b v -> R'. auto.
Qed.

Lemma run_app m s w t v u : run m s w t -> run m t v u -> run m s (w ++ v) u.
Proof. induction 1; simpl; auto. intros. econstructor; eauto. Qed.

Lemma run_one m s l t : step m s l t -> run m s [(l, t)] t.
Proof. intros. econstructor; eauto. constructor. Qed.

Lemma run_split m w : forall s v u, run m s (w ++ v) u -> exists t, run m s w t /\ run m t v u.
Proof.
  induction w as [|[l x] w IH]; simpl; intros s v u H.
  - exists s. split; [constructor|auto].
  - inversion H; subst. destruct (IH _ _ _ H6) as [t [A B]]. exists t. split; auto. econstructor; eauto.
Qed.

Lemma run_snoc m s w u : run m s w u -> w = [] /\ s = u \/
  exists w' l t, w = w' ++ [(l, u)] /\ run m s w' t /\ step m t l u.
Proof.
  induction 1 as [s|s l t w u Hs Hr IH]; auto. right.
  destruct IH as [[-> ->]|[w' [l' [t' [-> [A B]]]]]].
  - exists [], l, s. repeat split; auto. constructor.
  - exists ((l, t) :: w'), l', t'. repeat split; auto. econstructor; eauto.
Qed.

Lemma maximal_after m s w t r : run m s w t -> maximal m t r -> maximal m s (after w r).
Proof. induction 1; simpl; auto. intros. econstructor; eauto. Qed.

Lemma after_app w v r : after (w ++ v) r = after w (after v r).
Proof. induction w as [|[l t] w IH]; simpl; congruence. Qed.

Definition unfold (r : trace) : trace := match r with Stop => Stop | Move l t r' => Move l t r' end.
Lemma unfold_eq r : r = unfold r.
Proof. destruct r; reflexivity. Qed.

(* Some maximal trace follows every state: that which takes the first transition each time. *)
CoFixpoint onward (m : lts) (choose : nat -> nat) (s : nat) : trace :=
  match degree m s with
  | 0 => Stop
  | S _ => Move (label m s (choose s)) (target m s (choose s)) (onward m choose (target m s (choose s)))
  end.

Lemma onward_eq m choose s : onward m choose s =
  match degree m s with
  | 0 => Stop
  | S _ => Move (label m s (choose s)) (target m s (choose s)) (onward m choose (target m s (choose s)))
  end.
Proof. rewrite (unfold_eq (onward m choose s)) at 1. simpl. destruct (degree m s); reflexivity. Qed.

Lemma onward_maximal m choose : (forall s, 0 < degree m s -> choose s < degree m s) ->
  forall s, maximal m s (onward m choose s).
Proof.
  intros Hc. cofix IH. intros s. rewrite onward_eq. destruct (degree m s) eqn:E.
  - constructor. exact E.
  - constructor; [|apply IH]. apply step_edge. apply Hc. lia.
Qed.

Lemma some_maximal m s : exists r, maximal m s r.
Proof. exists (onward m (fun _ => 0) s). apply onward_maximal. auto. Qed.
