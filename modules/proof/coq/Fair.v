(* Assumptions about runs: weak and strong fairness to tasks, full fairness, and labels that are done
   finitely often. Which runs count under them, and that what certificate/verify looks for in a
   certificate under assumptions is evidence. *)
From Coq Require Import List Arith Lia Bool Wf_nat Classical_Prop.
From InevProof Require Import Lts Chain Sound.
Import ListNotations.

(* An infinite run: its states, and its labels; transition i leads from state i to state i+1. *)
Record walk := Walk { place : nat -> nat; taking : nat -> nat }.

(* Again and again; from some place on always *)
Definition often (P : nat -> Prop) : Prop := forall i, exists j, i <= j /\ P j.
Definition always (P : nat -> Prop) : Prop := exists i, forall j, i <= j -> P j.

(* Whether full fairness is assumed; the tasks that a label belongs to, whether strong fairness to a task is
   assumed, or weak fairness, and whether self-loops are left out of it; and labels to be done finitely often. *)
Record assumption := Assumption {
  full : bool; tasks_of : nat -> list nat; strong : nat -> bool; nonstuttering : nat -> bool;
  rare : option (nat -> bool) }.

Definition is_rare (f : assumption) (l : nat) : bool := match rare f with Some g => g l | None => false end.

(* The transition s -l-> t belongs to task k; s enables task k if some transition from it does. *)
Definition takes (f : assumption) (k s l t : nat) : Prop := In k (tasks_of f l) /\ (nonstuttering f k = true -> s <> t).
Definition enables (m : lts) (f : assumption) (k s : nat) : Prop := exists l t, step m s l t /\ takes f k s l t.

(* Fully fair: each transition that is possible again and again is taken again and again. Strongly: so is each
   task. Weakly: each task that is possible from some place on always is. *)
Definition fair (m : lts) (f : assumption) (r : walk) : Prop :=
  let taken k := often (fun i => takes f k (place r i) (taking r i) (place r (S i))) in
  if full f then
    forall s l t, step m s l t -> often (fun i => place r i = s) ->
      often (fun i => place r i = s /\ taking r i = l /\ place r (S i) = t)
  else forall k,
    if strong f k then often (fun i => enables m f k (place r i)) -> taken k
    else always (fun i => enables m f k (place r i)) -> taken k.

(* The walk that a trace from s is, if it does not end. *)
Fixpoint pos (s : nat) (r : trace) (i : nat) : nat * trace :=
  match i with 0 => (s, r) | S i' => match r with Move _ t r' => pos t r' i' | Stop => (s, r) end end.
Definition walk_of (s : nat) (r : trace) : walk :=
  Walk (fun i => fst (pos s r i)) (fun i => match snd (pos s r i) with Move l _ _ => l | Stop => 0 end).
Definition endless (s : nat) (r : trace) : Prop := forall i, snd (pos s r i) <> Stop.

(* Runs that end in a deadlock count; others do if they are fair and have no rare label again and again. *)
Definition counts (m : lts) (f : assumption) (s : nat) (r : trace) : Prop :=
  maximal m s r /\ (endless s r ->
    fair m f (walk_of s r) /\ always (fun i => is_rare f (taking (walk_of s r) i) = false)).

(* Facts *)

Lemma often_tail (P Q : nat -> Prop) : (forall i, P (S i) <-> Q i) -> (often P <-> often Q).
Proof.
  intros E. split; intros H i.
  - destruct (H (S i)) as [[|j] [Hj J]]; [lia|]. exists j. split; [lia|apply E; auto].
  - destruct (H i) as [j [Hj J]]. exists (S j). split; [lia|apply E; auto].
Qed.
Lemma always_tail (P Q : nat -> Prop) : (forall i, P (S i) <-> Q i) -> (always P <-> always Q).
Proof.
  intros E. split; intros [i H].
  - exists i. intros j Hj. apply E, H. lia.
  - exists (S i). intros [|j] Hj; [lia|]. apply E, H. lia.
Qed.
Lemma often_some P i : often (fun j => P (i + j)) -> often P.
Proof. intros H k. destruct (H k) as [j [Hj J]]. exists (i + j). split; [lia|auto]. Qed.

Lemma not_often P : ~ often P -> always (fun i => ~ P i).
Proof.
  intros H. apply NNPP. intros N. apply H. intros i. apply NNPP. intros E. apply N. exists i. intros j Hj Pj.
  apply E. eauto.
Qed.

Lemma one_often T (xs : list T) (P : T -> nat -> Prop) : often (fun i => exists k, In k xs /\ P k i) -> exists k, In k xs /\ often (P k).
Proof.
  induction xs as [|x xs IH]; intros H; [destruct (H 0) as [j [_ [k [[] _]]]]|].
  destruct (classic (often (P x))) as [O|O]; [exists x; split; [left|]; auto|].
  apply not_often in O. destruct O as [i0 O]. destruct IH as [k [Hk K]].
  - intros i. destruct (H (i + i0)) as [j [Hj [k [[<-|Hk] Pk]]]]; [exfalso; apply (O j); auto; lia|].
    exists j. split; [lia|eauto].
  - exists k. split; [right|]; auto.
Qed.

Section Counting.
Variables (m : lts) (f : assumption).

Lemma fair_later s l t r : fair m f (walk_of s (Move l t r)) <-> fair m f (walk_of t r).
Proof.
  unfold fair. destruct (full f).
  - assert (E : forall u, often (fun i => place (walk_of s (Move l t r)) i = u) <-> often (fun i => place (walk_of t r) i = u)).
    { intros u. apply often_tail. intros i. reflexivity. }
    assert (E' : forall u l' t', often (fun i => place (walk_of s (Move l t r)) i = u /\ taking (walk_of s (Move l t r)) i = l' /\ place (walk_of s (Move l t r)) (S i) = t') <->
      often (fun i => place (walk_of t r) i = u /\ taking (walk_of t r) i = l' /\ place (walk_of t r) (S i) = t')).
    { intros. apply often_tail. intros i. reflexivity. }
    split; intros H u l' t' Hu O; apply E', H, E; auto.
  - assert (T : forall k, often (fun i => takes f k (place (walk_of s (Move l t r)) i) (taking (walk_of s (Move l t r)) i) (place (walk_of s (Move l t r)) (S i))) <->
      often (fun i => takes f k (place (walk_of t r) i) (taking (walk_of t r) i) (place (walk_of t r) (S i)))).
    { intros k. apply often_tail. intros i. reflexivity. }
    assert (O : forall k, often (fun i => enables m f k (place (walk_of s (Move l t r)) i)) <-> often (fun i => enables m f k (place (walk_of t r) i))).
    { intros k. apply often_tail. intros i. reflexivity. }
    assert (A : forall k, always (fun i => enables m f k (place (walk_of s (Move l t r)) i)) <-> always (fun i => enables m f k (place (walk_of t r) i))).
    { intros k. apply always_tail. intros i. reflexivity. }
    split; intros H k; specialize (H k); destruct (strong f k); intros K; apply T, H; first [apply O|apply A]; auto.
Qed.

Lemma rare_later s l t r : always (fun i => is_rare f (taking (walk_of s (Move l t r)) i) = false) <->
  always (fun i => is_rare f (taking (walk_of t r) i) = false).
Proof. apply always_tail. intros i. reflexivity. Qed.

Lemma counts_behind s l t r : counts m f s (Move l t r) -> step m s l t /\ counts m f t r.
Proof.
  intros [M F]. inversion M; subst. split; auto. split; auto. intros E.
  destruct F as [F R]; [intros [|i]; simpl; [discriminate|apply E]|].
  split; [apply (fair_later s l t r); auto|apply (rare_later s l t r); auto].
Qed.

Lemma counts_before s l t r : step m s l t -> counts m f t r -> counts m f s (Move l t r).
Proof.
  intros H [M F]. split; [constructor; auto|]. intros E.
  destruct F as [F R]; [intros i; apply (E (S i))|]. split; [apply fair_later; auto|apply rare_later; auto].
Qed.

Lemma counts_after s w t r : run m s w t -> counts m f t r -> counts m f s (after w r).
Proof. induction 1; simpl; auto. intros C. apply counts_before; auto. Qed.

Lemma counts_end s : deadlock m s -> counts m f s Stop.
Proof. intros D. split; [constructor; auto|]. intros E. exfalso. apply (E 0). reflexivity. Qed.

(* Going round for ever *)

Lemma run_ends s w u : run m s w u -> forall v, run m s w v -> u = v.
Proof. induction 1; intros v H'; inversion H'; subst; auto. Qed.

Lemma pos_after s w u r : run m s w u -> forall i, pos s (after w r) (length w + i) = pos u r i.
Proof. induction 1; simpl; auto. Qed.

Lemma pos_next : forall i s r u l t r', pos s r i = (u, Move l t r') -> pos s r (S i) = (t, r').
Proof.
  induction i as [|i IH]; intros s r u l t r' E.
  - simpl in E. inversion E; subst. reflexivity.
  - destruct r as [|l0 t0 r0]; [inversion E|]. apply (IH t0 r0 u l). exact E.
Qed.

Section Loop.
Variables (s : nat) (w : list (nat * nat)).
Hypothesis round : run m s w s.
Hypothesis some : w <> [].
Notation r := (rounds w []).

(* Transitions on the loop *)
Definition on (u l t : nat) : Prop := exists w1 w2, w = w1 ++ (l, t) :: w2 /\ run m s w1 u.

Lemma on_step u l t : on u l t -> step m u l t.
Proof.
  intros [w1 [w2 [E R]]]. pose proof round as R'. rewrite E in R'. destruct (run_split _ _ _ _ _ R') as [u' [A B]].
  rewrite (run_ends _ _ _ R _ A). inversion B; auto.
Qed.

Lemma head : exists l t w', w = (l, t) :: w'.
Proof. destruct w as [|[l t] w']; [contradiction|eauto]. Qed.

Lemma on_all : forall i w1 w2 u, w = w1 ++ w2 -> run m s w1 u ->
  exists v l t r', on v l t /\ pos u (rounds w w2) i = (v, Move l t r').
Proof.
  assert (G : forall i w1 l t w2 u, w = w1 ++ (l, t) :: w2 -> run m s w1 u ->
    exists v l' t' r', on v l' t' /\ pos u (rounds w ((l, t) :: w2)) i = (v, Move l' t' r')).
  { induction i as [|i IH]; intros w1 l t w2 u E R.
    - exists u, l, t, (rounds w w2). split; [exists w1, w2; auto|]. rewrite rounds_eq. reflexivity.
    - assert (Ht : step m u l t) by (apply on_step; exists w1, w2; auto).
      rewrite rounds_eq. cbn [pos].
      assert (R' : run m s (w1 ++ [(l, t)]) t) by (eapply run_app; eauto; apply run_one; auto).
      destruct w2 as [|[l' t'] w2].
      + assert (t = s). { rewrite <- E in R'. apply (run_ends _ _ _ R' _ round). } subst t.
        destruct head as [l' [t' [w' Ew]]]. replace (rounds w []) with (rounds w ((l', t') :: w')) by (rewrite rounds_nil; f_equal; auto).
        apply (IH [] l' t' w' s); [exact Ew|constructor].
      + apply (IH (w1 ++ [(l, t)]) l' t' w2 t); auto. rewrite <- app_assoc. exact E. }
  intros i w1 [|[l t] w2] u E R; [|apply (G i w1 l t w2 u); auto].
  assert (u = s). { rewrite app_nil_r in E. subst w1. apply (run_ends _ _ _ R _ round). } subst u.
  destruct head as [l' [t' [w' Ew]]]. replace (rounds w []) with (rounds w ((l', t') :: w')) by (rewrite rounds_nil; f_equal; auto).
  apply (G i [] l' t' w' s); [exact Ew|constructor].
Qed.

Lemma on_often u l t : on u l t -> often (fun i => exists r', pos s r i = (u, Move l t r')).
Proof.
  intros [w1 [w2 [E R]]] i.
  assert (Eq : r = after w r) by (rewrite rounds_nil at 1; apply rounds_after).
  assert (Again : forall k j, pos s r (k * length w + j) = pos s r j).
  { induction k as [|k IH]; intros j; auto. rewrite Eq at 1. replace (S k * length w + j) with (length w + (k * length w + j)) by (simpl; lia).
    rewrite (pos_after _ _ _ _ round). apply IH. }
  assert (Lw : 0 < length w) by (destruct w; [contradiction|simpl; lia]).
  exists (i * length w + length w1). split; [nia|]. exists (after w2 r). rewrite Again. rewrite Eq at 1.
  rewrite E at 1. rewrite after_app. replace (length w1) with (length w1 + 0) by lia.
  rewrite (pos_after _ _ _ _ R). reflexivity.
Qed.

Lemma on_taken (P : nat -> nat -> nat -> Prop) u l t : on u l t -> P u l t ->
  often (fun i => P (place (walk_of s r) i) (taking (walk_of s r) i) (place (walk_of s r) (S i))).
Proof.
  intros O H i. destruct (on_often u l t O i) as [j [Hj [r' E]]]. exists j. split; auto.
  change (P (fst (pos s r j)) (match snd (pos s r j) with Move l1 _ _ => l1 | Stop => 0 end) (fst (pos s r (S j)))).
  rewrite (pos_next _ _ _ _ _ _ _ E), E. exact H.
Qed.

Lemma on_every i : exists u l t, on u l t /\ place (walk_of s r) i = u /\ taking (walk_of s r) i = l.
Proof.
  destruct (on_all i [] w s eq_refl (run_nil m s)) as [u [l [t [r' [O E]]]]]. exists u, l, t. split; auto.
  rewrite <- rounds_nil in E. simpl. rewrite E. auto.
Qed.

(* What is asked of a loop, so that going round it for ever counts *)
Definition loop_ok : Prop :=
  (forall u l t, on u l t -> is_rare f l = false) /\
  if full f then forall u l t l' t', on u l t -> step m u l' t' -> on u l' t'
  else forall k u l t, on u l t -> enables m f k u ->
    (exists u l t, on u l t /\ takes f k u l t) \/
    (strong f k = false /\ exists u l t, on u l t /\ ~ enables m f k u).

Theorem loop_counts : loop_ok -> counts m f s r.
Proof.
  intros [NR K]. split.
  - rewrite rounds_nil. apply (rounds_maximal m w s some round w s round).
  - intros _. split.
    + unfold fair. destruct (full f).
      * intros u l t Ht O. destruct (O 0) as [i [_ E]]. destruct (on_every i) as [u' [l' [t' [O' [E' _]]]]].
        rewrite E in E'. subst u'. apply (on_taken (fun u' l' t' => u' = u /\ l' = l /\ t' = t) u l t); auto.
        apply (K u l' t'); auto.
      * intros k. assert (T : (exists u l t, on u l t /\ takes f k u l t) ->
          often (fun i => takes f k (place (walk_of s r) i) (taking (walk_of s r) i) (place (walk_of s r) (S i)))).
        { intros [u [l [t [O H]]]]. apply (on_taken (takes f k) u l t); auto. }
        destruct (strong f k) eqn:Sk.
        -- intros O. destruct (O 0) as [i [_ E]]. destruct (on_every i) as [u [l [t [O' [E' _]]]]]. rewrite E' in E.
           destruct (K k u l t O' E) as [H|[H _]]; [auto|congruence].
        -- intros [i Al]. destruct (on_every i) as [u [l [t [O' [E' _]]]]]. pose proof (Al i (le_n _)) as E. rewrite E' in E.
           destruct (K k u l t O' E) as [H|[_ [u' [l' [t' [O2 N]]]]]]; [auto|]. exfalso.
           destruct (on_taken (fun u _ _ => u = u') u' l' t' O2 eq_refl i) as [j [Hj Ej]]. apply N. rewrite <- Ej. apply Al. exact Hj.
    + exists 0. intros i _. destruct (on_every i) as [u [l [t [O [_ ->]]]]]. apply (NR u l t O).
Qed.
End Loop.

(* A tour that takes all of these transitions, where each state that they lead to has a way to the root,
   and each state that they leave has one from it. *)
Lemma tour root (inside : nat -> nat -> nat -> Prop) (es : list (nat * nat * nat)) :
  (forall u l t, In (u, l, t) es -> inside u l t /\ step m u l t) ->
  (forall u l t, inside u l t -> (exists w, run m root w u /\ forall v l t, on root w v l t -> inside v l t) /\
    (exists w, run m t w root /\ forall v l' t', on t w v l' t' -> inside v l' t')) ->
  exists w, run m root w root /\ (forall u l t, In (u, l, t) es -> on root w u l t) /\
    (forall u l t, on root w u l t -> inside u l t).
Proof.
  assert (Nil : forall x u l t, ~ on x [] u l t) by (intros x u l t [[|? ?] [? [E _]]]; discriminate).
  assert (Join : forall x w1 y w2, run m x w1 y -> forall u l t, on x (w1 ++ w2) u l t -> on x w1 u l t \/ on y w2 u l t).
  { intros x w1 y w2 R. induction R as [x|x l0 t0 w1 y Ht R IH]; intros u l t O; [right; exact O|].
    destruct O as [[|[l1 t1] a] [b [E O]]]; simpl in E; inversion E; subst.
    - left. exists [], w1. split; auto.
    - inversion O; subst. destruct (IH u l t) as [[a' [b' [E' O']]]|O']; [exists a, b; auto| |right; auto].
      left. exists ((l1, t1) :: a'), b'. split; [simpl; congruence|]. econstructor; eauto. }
  assert (Left : forall x w1 w2 u l t, on x w1 u l t -> on x (w1 ++ w2) u l t).
  { intros x w1 w2 u l t [a [b [-> O]]]. exists a, (b ++ w2). split; [rewrite <- app_assoc; auto|auto]. }
  assert (Right : forall x w1 y w2 u l t, run m x w1 y -> on y w2 u l t -> on x (w1 ++ w2) u l t).
  { intros x w1 y w2 u l t R [a [b [-> O]]]. exists (w1 ++ a), b. split; [rewrite <- app_assoc; auto|]. eapply run_app; eauto. }
  intros H W. induction es as [|[[u l] t] es IH].
  - exists []. split; [constructor|]. split; [intros u l t []|]. intros u l t O. destruct (Nil _ _ _ _ O).
  - destruct IH as [w [R [A B]]]; [intros; apply H; right; auto|].
    destruct (H u l t (or_introl eq_refl)) as [I St]. destruct (W u l t I) as [[w1 [R1 I1]] [w2 [R2 I2]]].
    assert (R3 : run m u ((l, t) :: w2) root) by (econstructor; eauto).
    assert (O3 : on u ((l, t) :: w2) u l t) by (exists [], w2; split; [auto|constructor]).
    exists (w ++ w1 ++ (l, t) :: w2). split; [eapply run_app; eauto; eapply run_app; eauto|]. split.
    + intros u' l' t' [E|Hin].
      * inversion E; subst. apply (Right root w root); auto. apply (Right root w1 u'); auto.
      * apply Left. auto.
    + intros u' l' t' O. apply (Join _ _ _ _ R) in O. destruct O as [O|O]; [auto|].
      apply (Join _ _ _ _ R1) in O. destruct O as [O|O]; [auto|].
      change ((l, t) :: w2) with ([(l, t)] ++ w2) in O. apply (Join _ _ _ _ (run_one _ _ _ _ St)) in O. destruct O as [[a [b [E O]]]|O]; [|apply I2; exact O].
      destruct a as [|y a]; [|destruct a; discriminate]. inversion E; subst. inversion O; subst. exact I.
Qed.

(* Where no label is rare, some run from each state counts: it comes to a strongly connected set that it cannot
   leave, and takes all transitions there. *)
Hypothesis Fin : finite m.

Definition edges : list (nat * nat * nat) :=
  flat_map (fun s => map (fun i => (s, label m s i, target m s i)) (seq 0 (degree m s))) (seq 0 (size m)).
Lemma in_edges s l t : In (s, l, t) edges <-> s < size m /\ step m s l t.
Proof.
  unfold edges. rewrite in_flat_map. split.
  - intros [u [Hu H]]. apply in_map_iff in H. destruct H as [i [E Hi]]. inversion E; subst.
    apply in_seq in Hu, Hi. split; [lia|]. apply step_edge. lia.
  - intros [Hs [i [Hi [<- <-]]]]. exists s. split; [apply in_seq; lia|]. apply in_map_iff. exists i. split; auto. apply in_seq. lia.
Qed.
Lemma run_in s w t : s < size m -> run m s w t -> t < size m.
Proof. intros H R. induction R as [s|s l t w u [i [Hi [_ <-]]] R IH]; auto. apply IH. apply Fin; auto. Qed.

Definition leads (s t : nat) : Prop := exists w, run m s w t.
Lemma leads_trans s t u : leads s t -> leads t u -> leads s u.
Proof. intros [w R] [v Q]. exists (w ++ v). eapply run_app; eauto. Qed.

Lemma picked T (xs : list T) (P : T -> Prop) : exists ys, forall x, In x ys <-> In x xs /\ P x.
Proof.
  induction xs as [|x xs [ys H]]; [exists []; simpl; tauto|]. destruct (classic (P x)) as [Y|N].
  - exists (x :: ys). intros y. simpl. rewrite H. split; [intros [<-|[]]; auto|intros [[<-|I] Py]; auto].
  - exists ys. intros y. rewrite H. simpl. split; [intros []; auto|intros [[<-|I] Py]; [contradiction|auto]].
Qed.

(* From s a state is reached to which all ways lead back. *)
Lemma bottom : forall d s xs, length xs <= d -> (forall t, leads s t -> In t xs) ->
  exists b, leads s b /\ forall t, leads b t -> leads t b.
Proof.
  induction d as [|d IH]; intros s xs L H.
  - exfalso. assert (In s xs) by (apply H; exists []; constructor). destruct xs; [destruct H0|simpl in L; lia].
  - destruct (classic (forall t, leads s t -> leads t s)) as [C|C]; [exists s; split; [exists []; constructor|exact C]|].
    assert (D : exists t, leads s t /\ ~ leads t s).
    { apply NNPP. intros N. apply C. intros t Lt. apply NNPP. intros N'. apply N. eauto. }
    destruct D as [t [St Nt]].
    assert (I : In s xs) by (apply H; exists []; constructor).
    destruct (in_split _ _ I) as [a [b E]].
    destruct (IH t (a ++ b)) as [c [Lc Cc]].
    + rewrite E, app_length in L. rewrite app_length. simpl in L. lia.
    + intros u Hu. assert (Hs : In u xs) by (apply H; apply (leads_trans s t); auto).
      rewrite E in Hs. apply in_app_or in Hs. apply in_or_app. destruct Hs as [Hs|[<-|Hs]]; [auto|contradiction|auto].
    + exists c. split; auto. apply (leads_trans s t); auto.
Qed.

Theorem some_counts s : s < size m -> rare f = None -> exists r, counts m f s r.
Proof.
  intros Hs NR. destruct (bottom (size m) s (seq 0 (size m))) as [b [[w0 R0] C]].
  { rewrite seq_length. lia. }
  { intros t [w R]. apply in_seq. pose proof (run_in s w t Hs R). lia. }
  pose proof (run_in s w0 b Hs R0) as Hb.
  destruct (Nat.eq_dec (degree m b) 0) as [D|D].
  - exists (after w0 Stop). apply (counts_after s w0 b); auto. apply counts_end. exact D.
  - set (inside := fun u l t => leads b u /\ step m u l t).
    assert (Inside : forall x, leads b x -> forall w y, run m x w y -> forall u l t, on x w u l t -> inside u l t).
    { intros x Lx w y R u l t [a [c [E Q]]]. rewrite E in R. destruct (run_split _ _ _ _ _ R) as [u' [Q' R']].
      rewrite (run_ends _ _ _ Q _ Q') in *. split; [apply (leads_trans b x); auto; exists a; auto|]. inversion R'; auto. }
    destruct (picked _ edges (fun e => leads b (fst (fst e)))) as [es Es].
    destruct (tour b inside es) as [w [R [A B]]].
    { intros u l t H. apply Es in H. destruct H as [H Lu]. apply in_edges in H. destruct H as [_ H]. split; [split|]; auto. }
    { intros u l t [Lu St]. split.
      - destruct Lu as [w R]. exists w. split; auto. apply (Inside b (ex_intro _ [] (run_nil m b)) w u R).
      - assert (Lt : leads b t) by (apply (leads_trans b u); auto; exists [(l, t)]; apply run_one; auto).
        destruct (C t Lt) as [w R]. exists w. split; auto. apply (Inside t Lt w b R). }
    assert (All : forall u l t, leads b u -> step m u l t -> on b w u l t).
    { intros u l t Lu St. apply A, Es. split; auto. apply in_edges. split; auto. destruct Lu as [v V]. apply (run_in b v u); auto. }
    exists (after w0 (rounds w [])). apply (counts_after s w0 b); auto. apply loop_counts; auto.
    + intros ->. destruct (All b (label m b 0) (target m b 0)) as [[|? ?] [? [E _]]]; try discriminate.
      * exists []. constructor.
      * apply step_edge. lia.
    + split; [intros u l t _; unfold is_rare; rewrite NR; auto|]. destruct (full f).
      * intros u l t l' t' O St. apply All; auto. apply (B u l t O).
      * intros k u l t O [l' [t' [St T]]]. left. exists u, l', t'. split; auto. apply All; auto. apply (B u l t O).
Qed.
End Counting.

(* A run that goes on for ever by these transitions is not fair to tasks, since there are ranks within sets. *)
Section Sets.
Variables (m : lts) (f : assumption).
Hypothesis by_tasks : full f = false.

(* Sets of states, from 1 to sets; each lies in a parent before it, 0 stands for none. Each state has
   a rank within the smallest set that it lies in, each set one within its parent, and tasks that it neglects. *)
Variables (sets : nat) (parent within rank set_rank : nat -> nat) (neglects : nat -> nat -> bool).
Hypothesis before : forall a, 0 < a -> a <= sets -> parent a < a.

Definition above (a : nat) : nat := match a with 0 => 0 | S _ => parent a end.
Fixpoint up (n a : nat) : nat := match n with 0 => a | S n' => above (up n' a) end.
Definition lies (s a : nat) : Prop := exists n, up n (within s) = a.

(* What a state is, or lies in, within the set a *)
Inductive part := State (s : nat) | Set_ (b : nat).
Definition part_in (a s : nat) (p : part) : Prop :=
  match p with State s' => s' = s /\ within s = a | Set_ b => 0 < b /\ parent b = a /\ lies s b end.
Definition rank_of (p : part) : nat := match p with State s => rank s | Set_ b => set_rank b end.

(* States with ranks, and the transitions that the run takes: what is checked of each of them. *)
Variables (here : nat -> Prop) (goes : nat -> nat -> nat -> Prop).
Hypothesis bounded : forall s, here s -> s < size m /\ within s <= sets.
Hypothesis neglected : forall s l t a k, here s -> here t -> goes s l t -> lies s a -> lies t a -> 0 < a ->
  neglects a k = true -> ~ takes f k s l t.
Hypothesis falls : forall s l t a p q, here s -> here t -> goes s l t -> part_in a s p -> part_in a t q ->
  (exists b, p = Set_ b /\ q = Set_ b) \/ rank_of q < rank_of p \/ (p = State s /\ rank s = 0).
Hypothesis zero : forall s, here s -> rank s = 0 -> 0 < within s /\ exists k, neglects (within s) k = true /\ enables m f k s.
Hypothesis weak_alone : forall a k, neglects a k = true -> strong f k = false ->
  (forall k', neglects a k' = true -> k' = k) /\ forall s, here s -> lies s a -> within s = a /\ rank s = 0.

Lemma up_le a : a <= sets -> forall n, up n a <= a.
Proof.
  intros A. induction n as [|n IH]; simpl; auto. destruct (up n a) as [|b] eqn:E; simpl; [lia|].
  pose proof (before (S b) ltac:(lia) ltac:(lia)). lia.
Qed.

Lemma up_less a : a <= sets -> forall n, up n a <= a - n.
Proof.
  intros A. induction n as [|n IH]; simpl; [lia|]. destruct (up n a) as [|b] eqn:E; simpl; [lia|].
  pose proof (before (S b) ltac:(lia) ltac:(lia)). lia.
Qed.

Lemma up_add i : forall j a, up i (up j a) = up (i + j) a.
Proof. induction i as [|i IH]; simpl; intros; congruence. Qed.

Lemma part_exists a s : lies s a -> exists p, part_in a s p.
Proof.
  intros [n E]. destruct (Nat.eq_dec (within s) a) as [W|W]; [exists (State s); simpl; auto|].
  assert (G : forall n, up n (within s) = a -> exists i, up i (within s) <> a /\ up (S i) (within s) = a).
  { induction n0 as [|i IH]; intros E'; [contradiction|].
    destruct (Nat.eq_dec (up i (within s)) a) as [D|D]; [auto|]. exists i. auto. }
  destruct (G n E) as [i [D E']]. exists (Set_ (up i (within s))). simpl in E'.
  destruct (up i (within s)) as [|b] eqn:U; [simpl in E'; congruence|]. simpl. split; [lia|]. split; [exact E'|exists i; auto].
Qed.

Variable r : walk.
Hypothesis runs : forall i, here (place r i) /\ goes (place r i) (taking r i) (place r (S i)).

Lemma within_set : forall d a, sets - a <= d -> a <= sets -> always (fun i => lies (place r i) a) -> ~ fair m f r.
Proof.
  induction d as [d IH] using lt_wf_ind. intros a D A [i0 L] F.
  destruct (classic (often (fun i => within (place r i) = a /\ rank (place r i) = 0))) as [O|O].
  - assert (E : often (fun i => exists k, In k (flat_map (fun e => tasks_of f (snd (fst e))) (edges m)) /\ (neglects a k = true /\ enables m f k (place r i)))).
    { intros i. destruct (O i) as [j [Hj [W Z]]]. exists j. split; auto. destruct (runs j) as [Hr _].
      destruct (zero _ Hr Z) as [_ [k [Hk [l [t [Ht [T1 T2]]]]]]]. rewrite W in Hk. exists k. split.
      - apply in_flat_map. exists (place r j, l, t). split; [|exact T1]. apply in_edges; auto. split; auto. apply bounded. auto.
      - split; auto. exists l, t. split; auto. split; auto. }
    assert (A0 : 0 < a). { destruct (O 0) as [j [_ [<- Z]]]. apply zero; auto. apply runs. }
    assert (N : forall k, neglects a k = true -> ~ often (fun i => takes f k (place r i) (taking r i) (place r (S i)))).
    { intros k Hk T. destruct (T i0) as [j [Hj Tj]]. revert Tj. destruct (runs j) as [Hr G]. destruct (runs (S j)) as [Hr' _].
      apply (neglected _ _ _ a); auto. }
    destruct (one_often _ _ _ E) as [k [_ Ek]].
    assert (Hk : neglects a k = true) by (destruct (Ek 0) as [j [_ [K _]]]; exact K).
    assert (Ek' : often (fun i => enables m f k (place r i))) by (intros i; destruct (Ek i) as [j [Hj [_ K]]]; eauto).
    unfold fair in F. rewrite by_tasks in F. specialize (F k). cbv zeta in F. destruct (strong f k) eqn:Wk.
    + apply (N k Hk), F, Ek'.
    + destruct (weak_alone a k Hk Wk) as [T Z]. apply (N k Hk), F. exists i0. intros j Hj. destruct (runs j) as [Hr _].
      destruct (Z _ Hr (L j Hj)) as [W R]. destruct (zero _ Hr R) as [_ [k' [Hk' Ek2]]]. rewrite W in Hk'.
      rewrite (T k' Hk') in Ek2. exact Ek2.
  - apply not_often in O. destruct O as [i1 O].
    assert (K : forall n i p, i0 + i1 <= i -> part_in a (place r i) p -> rank_of p = n ->
      exists b j, 0 < b /\ parent b = a /\ forall i, j <= i -> lies (place r i) b).
    { induction n as [n IHn] using lt_wf_ind. intros i p Hi P Ep.
      destruct (classic (exists j q, i <= j /\ part_in a (place r j) q /\ rank_of q < n)) as [[j [q [Hj [Q Lt]]]]|C].
      - apply (IHn (rank_of q) Lt j q); auto. lia.
      - assert (S_ : forall j q, i <= j -> part_in a (place r j) q -> rank_of q = n ->
          exists b, q = Set_ b /\ part_in a (place r (S j)) (Set_ b)).
        { intros j q Hj Q Eq. destruct (part_exists a (place r (S j)) (L (S j) ltac:(lia))) as [q' Q'].
          destruct (runs j) as [Hr G]. destruct (runs (S j)) as [Hr' _].
          destruct (falls _ _ _ a q q' Hr Hr' G Q Q') as [[b [-> ->]]|[Lt|[-> Z]]]; [eauto| |].
          - exfalso. apply C. exists (S j), q'. split; [lia|]. split; auto. lia.
          - exfalso. destruct Q as [_ Q]. apply (O j); [lia|auto]. }
        destruct (S_ i p (le_n _) P Ep) as [b [-> P']].
        assert (B : forall d, part_in a (place r (i + d)) (Set_ b)).
        { induction d0 as [|d' IHd]; [rewrite Nat.add_0_r; auto|].
          destruct (S_ (i + d') (Set_ b) ltac:(lia) IHd Ep) as [b' [Eb Pb]].
          inversion Eb; subst b'. replace (i + S d') with (S (i + d')) by lia. exact Pb. }
        exists b, i. destruct P as [Pb [Pp _]]. split; auto. split; auto. intros j Hj.
        specialize (B (j - i)). replace (i + (j - i)) with j in B by lia. apply B. }
    destruct (part_exists a (place r (i0 + i1)) (L (i0 + i1) ltac:(lia))) as [p P].
    destruct (K _ (i0 + i1) p (le_n _) P eq_refl) as [b [j [B0 [Bp Bl]]]].
    assert (Bs : b <= sets).
    { destruct (Bl j (le_n _)) as [n E]. destruct (runs j) as [Hr _]. destruct (bounded _ Hr) as [_ W].
      pose proof (up_le _ W n). lia. }
    pose proof (before b B0 Bs). apply (IH (sets - b)) with (a := b); auto; try lia. exists j. exact Bl.
Qed.

Theorem not_fair : ~ fair m f r.
Proof.
  apply (within_set (sets - 0) 0); auto; [lia|]. exists 0. intros i _.
  exists (within (place r i)). destruct (runs i) as [Hr _]. destruct (bounded _ Hr) as [_ W].
  pose proof (up_less _ W (within (place r i))). lia.
Qed.
End Sets.

(* Nor is it fully fair, since from each of its states a way leads to a transition that it does not take. *)
Theorem not_fully_fair m f (far : nat -> nat) (goes : nat -> nat -> nat -> Prop) r : full f = true ->
  (forall i, place r i < size m /\ goes (place r i) (taking r i) (place r (S i))) ->
  (forall i, exists l t, step m (place r i) l t /\ (goes (place r i) l t -> far t < far (place r i))) ->
  ~ fair m f r.
Proof.
  intros Fu G W F. unfold fair in F. rewrite Fu in F.
  assert (K : forall d s, far s = d -> often (fun i => place r i = s) -> False).
  { induction d as [d IH] using lt_wf_ind. intros s D O. destruct (O 0) as [i [_ E]].
    destruct (W i) as [l [t [St H]]]. rewrite E in St, H. pose proof (F s l t St O) as T.
    assert (Go : goes s l t). { destruct (T 0) as [j [_ [<- [<- <-]]]]. apply G. }
    apply (IH (far t)) with (s := t); [rewrite <- D; auto|auto|].
    intros j. destruct (T j) as [j' [Hj' [_ [_ E']]]]. exists (S j'). split; [lia|exact E']. }
  destruct (one_often _ (seq 0 (size m)) (fun s i => place r i = s)) as [s [_ O]]; [|apply (K _ s eq_refl O)].
  intros i. exists i. split; auto. exists (place r i). split; auto. apply in_seq. destruct (G i). lia.
Qed.
