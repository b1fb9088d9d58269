(* Assumptions of weak and strong fairness. The ranks within sets that certificates have under them are
   evidence: an infinite run whose transitions they are about is not fair, and so each fair run
   contains the last cs steps; homes and settling are evidence that some fair run contains no more. *)
From Coq Require Import List Arith Lia Bool Wf_nat Classical_Prop.
From InevProof Require Import Lts Chain Sound.
Import ListNotations.

(* An infinite run: its states, and its labels; transition i leads from state i to state i+1. *)
Record walk := Walk { place : nat -> nat; taking : nat -> nat }.

(* Tasks are sets of transitions. A state enables a task if one of its transitions is in it, but this is
   not used. *)
Section Fair.
Variables (takes : nat -> nat -> nat -> nat -> Prop) (enables : nat -> nat -> Prop).

Definition often (P : nat -> Prop) : Prop := forall i, exists j, i <= j /\ P j.
Definition always (P : nat -> Prop) : Prop := exists i, forall j, i <= j -> P j.

(* A task that is enabled again and again, or from some place on always, is taken again and again. *)
Definition taken (r : walk) (k : nat) : Prop := often (fun i => takes k (place r i) (taking r i) (place r (S i))).
Definition strongly_fair (r : walk) (k : nat) : Prop := often (fun i => enables k (place r i)) -> taken r k.
Definition weakly_fair (r : walk) (k : nat) : Prop := always (fun i => enables k (place r i)) -> taken r k.

(* Which tasks are asked to be treated fairly in which way *)
Variable weak : nat -> bool.
Definition fair (r : walk) : Prop := forall k, if weak k then weakly_fair r k else strongly_fair r k.

(* Sets of states, from 1 to sets; each lies in a parent before it, 0 stands for none. Each state has
   a rank within the smallest set that it lies in, each set one within its parent, and tasks that it neglects. *)
Variables (sets : nat) (parent : nat -> nat) (within : nat -> nat) (rank set_rank : nat -> nat) (tasks : nat -> list nat).
Hypothesis before : forall a, 0 < a -> parent a < a.
Hypothesis outermost : parent 0 = 0.
Hypothesis bounded : forall s, within s <= sets.

Fixpoint up (n a : nat) : nat := match n with 0 => a | S n' => parent (up n' a) end.
Definition lies (s a : nat) : Prop := exists n, up n (within s) = a.

(* What a state is, or lies in, within the set a *)
Inductive part := State (s : nat) | Set_ (b : nat).
Definition part_in (a s : nat) (p : part) : Prop :=
  match p with State s' => s' = s /\ within s = a | Set_ b => 0 < b /\ parent b = a /\ lies s b end.
Definition rank_of (p : part) : nat := match p with State s => rank s | Set_ b => set_rank b end.

(* The transitions that the run takes: what is checked of each of them. *)
Variable goes_on : nat -> nat -> nat -> Prop.
Hypothesis neglected : forall s l t a k, goes_on s l t -> lies s a -> lies t a -> In k (tasks a) -> ~ takes k s l t.
Hypothesis falls : forall s l t a p q, goes_on s l t -> part_in a s p -> part_in a t q ->
  (exists b, p = Set_ b /\ q = Set_ b) \/ rank_of q < rank_of p \/ (p = State s /\ rank s = 0).
Hypothesis zero : forall s, rank s = 0 -> exists k, In k (tasks (within s)) /\ enables k s.
Hypothesis none_outside : tasks 0 = [].
Hypothesis weak_alone : forall a k, In k (tasks a) -> weak k = true ->
  tasks a = [k] /\ forall s, lies s a -> within s = a /\ rank s = 0.

Lemma up_le a : forall n, up n a <= a.
Proof.
  induction n as [|n IH]; simpl; auto. destruct (up n a) as [|b] eqn:E; [rewrite outermost; lia|].
  pose proof (before (S b) ltac:(lia)). lia.
Qed.

Lemma part_exists a s : lies s a -> exists p, part_in a s p.
Proof.
  intros [n E]. destruct (Nat.eq_dec (within s) a) as [W|W]; [exists (State s); simpl; auto|].
  assert (G : forall n, up n (within s) = a -> exists i, up i (within s) <> a /\ up (S i) (within s) = a).
  { induction n0 as [|i IH]; simpl; intros E'; [contradiction|].
    destruct (Nat.eq_dec (up i (within s)) a) as [D|D]; [auto|]. exists i. auto. }
  destruct (G n E) as [i [D E']]. exists (Set_ (up i (within s))). simpl. split; [|split; [exact E'|exists i; auto]].
  simpl in E'. destruct (up i (within s)); [rewrite outermost in E'; congruence|lia].
Qed.

Lemma not_often P : ~ often P -> always (fun i => ~ P i).
Proof.
  intros H. apply NNPP. intros N. apply H. intros i. apply NNPP. intros E. apply N. exists i. intros j Hj Pj.
  apply E. eauto.
Qed.

Lemma one_often (xs : list nat) (P : nat -> nat -> Prop) : often (fun i => exists k, In k xs /\ P k i) -> exists k, In k xs /\ often (P k).
Proof.
  induction xs as [|x xs IH]; intros H; [destruct (H 0) as [j [_ [k [[] _]]]]|].
  destruct (classic (often (P x))) as [O|O]; [exists x; split; [left|]; auto|].
  apply not_often in O. destruct O as [i0 O]. destruct IH as [k [Hk K]].
  - intros i. destruct (H (i + i0)) as [j [Hj [k [[<-|Hk] Pk]]]]; [exfalso; apply (O j); auto; lia|].
    exists j. split; [lia|eauto].
  - exists k. split; [right|]; auto.
Qed.

Variable r : walk.
Hypothesis runs : forall i, goes_on (place r i) (taking r i) (place r (S i)).

Lemma within_set : forall d a, sets - a <= d -> a <= sets -> always (fun i => lies (place r i) a) -> ~ fair r.
Proof.
  induction d as [d IH] using lt_wf_ind. intros a D A [i0 L] F.
  destruct (classic (often (fun i => within (place r i) = a /\ rank (place r i) = 0))) as [O|O].
  - assert (E : often (fun i => exists k, In k (tasks a) /\ enables k (place r i))).
    { intros i. destruct (O i) as [j [Hj [W Z]]]. exists j. split; auto. destruct (zero _ Z) as [k [Hk Ek]].
      rewrite W in Hk. eauto. }
    assert (N : forall k, In k (tasks a) -> ~ taken r k).
    { intros k Hk T. destruct (T i0) as [j [Hj Tj]]. revert Tj. apply (neglected _ _ _ a); auto. }
    destruct (one_often _ _ E) as [k [Hk Ek]]. specialize (F k). destruct (weak k) eqn:Wk.
    + destruct (weak_alone a k Hk Wk) as [T Z]. apply (N k Hk), F. exists i0. intros j Hj.
      destruct (Z _ (L j Hj)) as [W R]. destruct (zero _ R) as [k' [Hk' Ek']]. rewrite W, T in Hk'.
      destruct Hk' as [<-|[]]. exact Ek'.
    + apply (N k Hk), F, Ek.
  - apply not_often in O. destruct O as [i1 O].
    assert (K : forall n i p, i0 + i1 <= i -> part_in a (place r i) p -> rank_of p = n ->
      exists b j, 0 < b /\ parent b = a /\ forall i, j <= i -> lies (place r i) b).
    { induction n as [n IHn] using lt_wf_ind. intros i p Hi P Ep.
      destruct (classic (exists j q, i <= j /\ part_in a (place r j) q /\ rank_of q < n)) as [[j [q [Hj [Q Lt]]]]|C].
      - apply (IHn (rank_of q) Lt j q); auto. lia.
      - assert (S_ : forall j q, i <= j -> part_in a (place r j) q -> n <= rank_of q -> rank_of q = n ->
          exists b, q = Set_ b /\ part_in a (place r (S j)) (Set_ b)).
        { intros j q Hj Q _ Eq. destruct (part_exists a (place r (S j)) (L (S j) ltac:(lia))) as [q' Q'].
          destruct (falls _ _ _ a q q' (runs j) Q Q') as [[b [-> ->]]|[Lt|[-> Z]]]; [eauto| |].
          - exfalso. apply C. exists (S j), q'. split; [lia|]. split; auto. lia.
          - exfalso. destruct Q as [_ Q]. apply (O j); [lia|auto]. }
        destruct (S_ i p (le_n _) P ltac:(lia) Ep) as [b [-> P']].
        assert (B : forall d, part_in a (place r (i + d)) (Set_ b)).
        { induction d0 as [|d' IHd]; [rewrite Nat.add_0_r; auto|].
          destruct (S_ (i + d') (Set_ b) ltac:(lia) IHd (Nat.eq_le_incl _ _ (eq_sym Ep)) Ep) as [b' [Eb Pb]].
          inversion Eb; subst b'. replace (i + S d') with (S (i + d')) by lia. exact Pb. }
        exists b, i. destruct P as [Pb [Pp _]]. split; auto. split; auto. intros j Hj.
        specialize (B (j - i)). replace (i + (j - i)) with j in B by lia. apply B. }
    destruct (part_exists a (place r (i0 + i1)) (L (i0 + i1) ltac:(lia))) as [p P].
    destruct (K _ (i0 + i1) p (le_n _) P eq_refl) as [b [j [B0 [Bp Bl]]]].
    assert (Bs : b <= sets).
    { destruct (Bl j (le_n _)) as [n E]. pose proof (up_le (within (place r j)) n). pose proof (bounded (place r j)). lia. }
    pose proof (before b B0). apply (IH (sets - b)) with (a := b); auto; try lia. exists j. exact Bl.
Qed.

(* No infinite run of which all transitions go on is fair. *)
Theorem not_fair : ~ fair r.
Proof.
  apply (within_set (sets - 0) 0); auto; [lia|]. exists 0. intros i _.
  exists (within (place r i)). generalize (within (place r i)). intros a.
  assert (G : forall n, up n a <= a - n).
  { induction n as [|n IH]; simpl; [lia|]. destruct (up n a) as [|b] eqn:E; [rewrite outermost; lia|].
    pose proof (before (S b) ltac:(lia)). lia. }
  specialize (G a). lia.
Qed.
End Fair.

(* The walk that a trace from s is; of one that ends, it stays in the last state. *)
Fixpoint pos (s : nat) (r : trace) (i : nat) : nat * trace :=
  match i with 0 => (s, r) | S i' => match r with Move _ t r' => pos t r' i' | Stop => (s, r) end end.
Definition walk_of (s : nat) (r : trace) : walk :=
  Walk (fun i => fst (pos s r i)) (fun i => match snd (pos s r i) with Move l _ _ => l | Stop => 0 end).
Definition endless (s : nat) (r : trace) : Prop := forall i, snd (pos s r i) <> Stop.

Section Suffixes.
Variables (m : lts) (p : chain).
Variables (takes : nat -> nat -> nat -> nat -> Prop) (enables : nat -> nat -> Prop) (weak : nat -> bool).
Notation n := (steps p).

(* Runs that end in a deadlock count, and fair ones do. *)
Definition counts (s : nat) (r : trace) : Prop :=
  maximal m s r /\ (endless s r -> fair takes enables weak (walk_of s r)).

Lemma counts_behind s l t r : counts s (Move l t r) -> counts t r.
Proof.
  intros [M F]. inversion M; subst. split; auto. intros E k.
  assert (E' : endless s (Move l t r)) by (intros [|i]; simpl; [discriminate|apply E]).
  specialize (F E' k). destruct (weak k).
  - intros [i A] j. destruct (F (ex_intro _ (S i) (fun j Hj => match j as j return S i <= j -> enables k (place (walk_of s (Move l t r)) j) with
      | 0 => fun H => False_ind _ (Nat.nle_succ_0 _ H) | S j' => fun H => A j' (le_S_n _ _ H) end Hj)) (S j)) as [[|j'] [Hj T]]; [lia|].
    exists j'. split; [lia|]. exact T.
  - intros A j. assert (A' : often (fun i => enables k (place (walk_of s (Move l t r)) i))).
    { intros i. destruct (A i) as [j' [Hj' T]]. exists (S j'). split; [lia|]. exact T. }
    destruct (F A' (S j)) as [[|j'] [Hj T]]; [lia|]. exists j'. split; [lia|]. exact T.
Qed.

Lemma counts_before s l t r : step m s l t -> counts t r -> counts s (Move l t r).
Proof.
  intros H [M F]. split; [constructor; auto|]. intros E k.
  assert (E' : endless t r) by (intros i; apply (E (S i))). specialize (F E' k).
  assert (T : taken takes (walk_of t r) k -> taken takes (walk_of s (Move l t r)) k).
  { intros T i. destruct (T i) as [j [Hj J]]. exists (S j). split; [lia|exact J]. }
  destruct (weak k); intros A; apply T, F.
  - destruct A as [i A]. exists i. intros j Hj. apply (A (S j)). lia.
  - intros i. destruct (A (S i)) as [[|j] [Hj J]]; [lia|]. exists j. split; [lia|exact J].
Qed.

(* cs, and for each suffix the evidence that no fair run goes on for ever without its first step *)
Variables (listed : nat -> Prop) (cs : nat -> nat).
Hypothesis closed : forall s l t, listed s -> step m s l t -> listed t.
Hypothesis in_range : forall s, listed s -> cs s <= n.
Hypothesis at_end : forall s, listed s -> deadlock m s -> cs s = 0.
Hypothesis brings : forall s l t, listed s -> step m s l t -> cs s <= advS p (cs t) l.
Definition without (v s l t : nat) : Prop :=
  listed s /\ step m s l t /\ v <= cs s /\ v <= cs t /\ does p (S (n - v)) l = false.
Hypothesis evidence : forall v r, 0 < v -> v <= n -> (forall i, without v (place r i) (taking r i) (place r (S i))) ->
  ~ fair takes enables weak r.

Theorem common_suffix_fair v : forall s r, listed s -> v <= cs s -> counts s r -> has_suffix p v r.
Proof.
  induction v as [|v IH]; intros s r L V C; [apply contains_done; lia|].
  apply NNPP. intros N. pose proof (in_range s L) as R.
  assert (K : forall i s r, listed s -> S v <= cs s -> counts s r -> ~ has_suffix p (S v) r ->
    snd (pos s r i) <> Stop /\ without (S v) (place (walk_of s r) i) (taking (walk_of s r) i) (place (walk_of s r) (S i))).
  { clear s r L V C N R. assert (G : forall s r, listed s -> S v <= cs s -> counts s r -> ~ has_suffix p (S v) r ->
      exists l t r', r = Move l t r' /\ without (S v) s l t /\ counts t r' /\ ~ has_suffix p (S v) r').
    { intros s r L V C N. pose proof (in_range s L) as R. pose proof C as [M _].
      inversion M as [s' D|s' l t r' Ht M']; subst; [rewrite (at_end s L D) in V; lia|].
      pose proof (counts_behind _ _ _ _ C) as C'. pose proof (closed s l t L Ht) as Lt. pose proof (brings s l t L Ht) as B.
      exists l, t, r'. split; auto. unfold has_suffix in N. destruct (does p (S (n - S v)) l) eqn:D.
      - exfalso. apply N. apply contains_step; auto. replace (S (n - S v)) with (n - v) by lia.
        apply (IH t r' Lt); auto. unfold advS in B. destruct (_ && _); lia.
      - split; [|split; auto; intros N'; apply N; apply contains_later; auto].
        split; auto. split; auto. split; auto. split; auto. unfold advS in B.
        destruct ((cs t <? n) && does p (n - cs t) l) eqn:F; [|lia].
        apply andb_true_iff in F. destruct F as [F1 F2]. apply Nat.ltb_lt in F1.
        destruct (Nat.eq_dec (cs t) v) as [Ev|]; [|lia].
        rewrite Ev in F2. replace (n - v) with (S (n - S v)) in F2 by lia. congruence. }
    induction i as [|i IHi]; intros s r L V C N; destruct (G s r L V C N) as [l [t [r' [-> [W [C' N']]]]]].
    - simpl. split; [discriminate|exact W].
    - apply (IHi t r'); auto; [apply (closed s l t L), W|apply W]. }
  assert (E : endless s r) by (intros i; apply (K i s r); auto).
  apply (evidence (S v) (walk_of s r)); [lia|lia| |apply C; auto].
  intros i. apply (K i s r); auto.
Qed.

Lemma behind s l t r : cs s = advS p (cs t) l -> (forall v, v <= n -> has_suffix p v r -> v <= cs t) ->
  forall v, v <= n -> has_suffix p v (Move l t r) -> v <= cs s.
Proof.
  intros E B v V H. unfold has_suffix in H. apply contains_move in H. unfold adv in H.
  pose proof (advS_ge p (cs t) l) as G. destruct ((n - v <? n) && does p (S (n - v)) l) eqn:D.
  - apply andb_true_iff in D. destruct D as [D1 D2]. apply Nat.ltb_lt in D1.
    assert (B' : v - 1 <= cs t).
    { apply B; [lia|]. unfold has_suffix. replace (n - (v - 1)) with (S (n - v)) by lia. exact H. }
    destruct (Nat.eq_dec (cs t) (v - 1)) as [Q|]; [|lia]. rewrite E. unfold advS. rewrite Q.
    replace (v - 1 <? n) with true by (symmetry; apply Nat.ltb_lt; lia).
    replace (n - (v - 1)) with (S (n - v)) by lia. rewrite D2. simpl. lia.
  - specialize (B v V H). lia.
Qed.

(* Homes: transitions between their states, which do not do step n - cs, connect them strongly. *)
Section Homes.
Variables (home from to root : nat -> nat) (edges : nat -> list (nat * nat * nat)).
Definition stays (h s l t : nat) : Prop := step m s l t /\ home s = h /\ home t = h /\ does p (n - cs s) l = false.
Hypothesis one_cs : forall s t, 0 < home s -> home s = home t -> cs s = cs t.
Hypothesis small : forall s, 0 < home s -> cs s < n.
Hypothesis all_edges : forall h s l t, 0 < h -> (In (s, l, t) (edges h) <-> stays h s l t).
Hypothesis some_edge : forall s, 0 < home s -> edges (home s) <> [].
Hypothesis to_root : forall s, 0 < home s -> s = root (home s) \/ exists l t, stays (home s) s l t /\ to t < to s.
Hypothesis from_root : forall s, 0 < home s -> s = root (home s) \/ exists u l, stays (home s) u l s /\ from u < from s.
(* A task that no transition takes there is enabled nowhere there or, if it is weak, not everywhere. *)
Hypothesis just : forall h k, 0 < h -> (forall s l t, stays h s l t -> ~ takes k s l t) ->
  if weak k then exists s, home s = h /\ ~ enables k s else forall s, home s = h -> ~ enables k s.

Inductive path (h : nat) : nat -> list (nat * nat) -> nat -> Prop :=
| path_nil s : path h s [] s
| path_cons s l t w u : stays h s l t -> path h t w u -> path h s ((l, t) :: w) u.

Lemma path_app h s w t v u : path h s w t -> path h t v u -> path h s (w ++ v) u.
Proof. induction 1; simpl; auto. intros. econstructor; eauto. Qed.
Lemma path_run h s w t : path h s w t -> run m s w t.
Proof. induction 1; econstructor; eauto. apply H. Qed.

Lemma path_to h : 0 < h -> forall d s, to s <= d -> home s = h -> exists w, path h s w (root h).
Proof.
  intros P. induction d as [d IH] using lt_wf_ind. intros s D E. destruct (to_root s) as [R|[l [t [St Lt]]]]; [lia| |].
  - exists []. rewrite E in R. rewrite R. constructor.
  - rewrite E in St. destruct (IH (to t) ltac:(lia) t (le_n _)) as [w W]; [apply St|]. exists ((l, t) :: w). econstructor; eauto.
Qed.
Lemma path_from h : 0 < h -> forall d s, from s <= d -> home s = h -> exists w, path h (root h) w s.
Proof.
  intros P. induction d as [d IH] using lt_wf_ind. intros s D E. destruct (from_root s) as [R|[u [l [St Lt]]]]; [lia| |].
  - exists []. rewrite E in R. rewrite R. constructor.
  - rewrite E in St. destruct (IH (from u) ltac:(lia) u (le_n _)) as [w W]; [apply St|].
    exists (w ++ [(l, s)]). eapply path_app; eauto. econstructor; eauto. constructor.
Qed.

(* A tour from the root that takes these transitions *)
Lemma tour h es : 0 < h -> incl es (edges h) -> exists w, path h (root h) w (root h) /\
  forall u l t, In (u, l, t) es -> exists w1 w2, w = w1 ++ (l, t) :: w2 /\ path h (root h) w1 u.
Proof.
  intros P. induction es as [|[[u l] t] es IH]; intros I.
  - exists []. split; [constructor|]. intros u l t [].
  - destruct IH as [w [W A]]; [intros e He; apply I; right; auto|].
    pose proof (proj1 (all_edges h u l t P) (I _ (or_introl eq_refl))) as St.
    destruct (path_from h P (from u) u (le_n _)) as [w1 W1]; [apply St|].
    destruct (path_to h P (to t) t (le_n _)) as [w2 W2]; [apply St|].
    exists (w ++ w1 ++ (l, t) :: w2). split.
    + eapply path_app; eauto. eapply path_app; eauto. econstructor; eauto.
    + intros u' l' t' [E|H].
      * inversion E; subst. exists (w ++ w1), w2. split; [rewrite <- app_assoc; auto|]. eapply path_app; eauto.
      * destruct (A u' l' t' H) as [x1 [x2 [-> X]]]. exists x1, (x2 ++ w1 ++ (l, t) :: w2).
        split; [rewrite <- app_assoc; auto|exact X].
Qed.

Lemma pos_after s w u r : run m s w u -> forall i, pos s (after w r) (length w + i) = pos u r i.
Proof. induction 1; simpl; auto. Qed.

Lemma path_incl h s w u : 0 < h -> path h s w u -> forall l t, In (l, t) w -> exists s', stays h s' l t.
Proof.
  intros P. induction 1 as [s|s l t w u St W IH]; intros l' t' H; [destruct H|]. destruct H as [E|H]; [inversion E; subst; eauto|auto].
Qed.

Theorem home_counts s : 0 < home s -> exists r, counts s r /\ forall v, v <= n -> has_suffix p v r -> v <= cs s.
Proof.
  intros P. set (h := home s) in *. destruct (tour h (edges h) P (incl_refl _)) as [w [W A]].
  destruct (path_to h P (to s) s (le_n _) eq_refl) as [w0 W0].
  assert (Nw : w <> []).
  { intros ->. destruct (edges h) as [|[[u l] t] es] eqn:E; [apply (some_edge s P); exact E|].
    destruct (A u l t (or_introl eq_refl)) as [w1 [w2 [E' _]]]. destruct w1; discriminate. }
  set (q := rounds w []). assert (Eq : q = after w q) by (unfold q; rewrite rounds_nil at 1; apply rounds_after).
  assert (Er : rounds w w0 = after w0 q) by apply rounds_after.
  pose proof (path_run _ _ _ _ W) as R. pose proof (path_run _ _ _ _ W0) as R0.
  assert (Again : forall k i, pos s (rounds w w0) (length w0 + (k * length w + i)) = pos (root h) q i).
  { intros k i. rewrite Er, (pos_after _ _ _ _ R0). induction k as [|k IH]; auto. rewrite Eq at 1.
    replace (S k * length w + i) with (length w + (k * length w + i)) by (simpl; lia).
    rewrite (pos_after _ _ _ _ R). exact IH. }
  assert (Lw : 0 < length w) by (destruct w; [contradiction|simpl; lia]).
  (* Each of its transitions recurs. *)
  assert (Recurs : forall u l t, stays h u l t -> often (fun i => exists r', pos s (rounds w w0) i = (u, Move l t r'))).
  { intros u l t St i. destruct (A u l t (proj2 (all_edges h u l t P) St)) as [w1 [w2 [E W1]]].
    exists (length w0 + (i * length w + length w1)). split; [nia|]. exists (after w2 q). rewrite Again.
    rewrite Eq at 1. rewrite E, after_app. replace (length w1) with (length w1 + 0) by lia. rewrite (pos_after _ _ _ _ (path_run _ _ _ _ W1)).
    reflexivity. }
  assert (First : exists l t x, stays h (root h) l t /\ path h t x (root h) /\ rounds w [] = Move l t (rounds w x)).
  { inversion W as [s1 E1 E2|s1 l t x u St P1 E1 E2]; [exfalso; apply Nw; auto|].
    exists l, t, x. split; auto. split; auto. rewrite rounds_eq. reflexivity. }
  destruct First as [l0 [t0 [x0 [St0 [P0 First]]]]].
  (* It stays at home. *)
  assert (Home : forall i s' w', path h s' w' (root h) -> home s' = h -> home (fst (pos s' (rounds w w') i)) = h).
  { induction i as [|i IH]; intros s' w' P' E'; [exact E'|].
    inversion P' as [s1|s1 l t w1 u St P1]; subst.
    - rewrite First. simpl. apply IH; auto. apply St0.
    - rewrite rounds_eq. simpl. apply IH; auto. apply St. }
  assert (Out : forall u, home u = h -> exists l t, stays h u l t).
  { intros u Hu. destruct (path_to h P (to u) u (le_n _) Hu) as [x X].
    inversion X as [s1|s1 l t w1 u1 St P1]; subst; eauto. }
  exists (rounds w w0). split; [split|].
  - apply (rounds_maximal m w (root h) Nw R w0 s R0).
  - intros _ k. destruct (classic (exists u l t, stays h u l t /\ takes k u l t)) as [[u [l [t [St T]]]]|N].
    + assert (Tk : taken takes (walk_of s (rounds w w0)) k).
      { intros i. destruct (Recurs u l t St i) as [j [Hj [r' E]]]. exists j. split; auto.
        change (takes k (fst (pos s (rounds w w0) j)) (match snd (pos s (rounds w w0) j) with Move l1 _ _ => l1 | Stop => 0 end)
          (fst (pos s (rounds w w0) (S j)))).
        assert (E' : pos s (rounds w w0) (S j) = (t, r')).
        { revert E. clear. generalize (rounds w w0) as r. intros r. revert s r. induction j as [|j IH]; intros s r E; simpl in *.
          - inversion E; subst. auto.
          - destruct r as [|l0 t0 r0]; [inversion E|]. apply (IH t0 r0 E). }
        rewrite E, E'. exact T. }
      destruct (weak k); intros _; exact Tk.
    + pose proof (just h k P (fun u l t St T => N (ex_intro _ u (ex_intro _ l (ex_intro _ t (conj St T)))))) as J.
      destruct (weak k).
      * destruct J as [u [Hu Nu]]. intros [i Al]. exfalso. destruct (Out u Hu) as [l [t St]].
        destruct (Recurs u l t St i) as [j [Hj [r' E]]]. apply Nu. specialize (Al j Hj). simpl in Al. rewrite E in Al. exact Al.
      * intros Of. exfalso. destruct (Of 0) as [j [_ E]]. simpl in E. apply (J _ (Home j s w0 W0 eq_refl) E).
  - intros v V H. apply NNPP. intros Lt. pose proof (small s P) as Sm.
    refine (rounds_stuck p w (n - cs s - 1) _ _ _ _ H _ w0 _ eq_refl); [lia| |lia|].
    + intros [l t] Hy. destruct (path_incl h _ _ _ P W l t Hy) as [u St]. simpl.
      replace (S (n - cs s - 1)) with (n - cs u); [apply St|]. destruct St as [_ [Hu _]].
      rewrite (one_cs u s); lia.
    + intros [l t] Hy. destruct (path_incl h _ _ _ P W0 l t Hy) as [u St].
      destruct (A u l t (proj2 (all_edges h u l t P) St)) as [w1 [w2 [-> _]]]. apply in_or_app. right. left. auto.
Qed.

Variable settle : nat -> nat.
Hypothesis settles : forall s, listed s -> cs s < n -> deadlock m s \/ 0 < home s \/
  exists l t, step m s l t /\ cs s = advS p (cs t) l /\ (cs t < cs s \/ settle t < settle s).

Theorem common_suffix_reached : forall s, listed s -> cs s < n ->
  exists r, counts s r /\ forall v, v <= n -> has_suffix p v r -> v <= cs s.
Proof.
  enough (G : forall a b s, cs s = a -> settle s <= b -> listed s -> cs s < n ->
    exists r, counts s r /\ forall v, v <= n -> has_suffix p v r -> v <= cs s) by (intros s; apply (G (cs s) (settle s)); auto).
  induction a as [a IHa] using lt_wf_ind. induction b as [b IHb] using lt_wf_ind. intros s Ea Eb L Sm.
  destruct (settles s L Sm) as [D|[H|[l [t [Ht [E Lt]]]]]].
  - exists Stop. split; [split; [constructor; auto|intros Q; exfalso; apply (Q 0); auto]|].
    intros v V H. unfold has_suffix in H. apply contains_stop in H. lia.
  - apply home_counts; auto.
  - pose proof (advS_ge p (cs t) l) as Ge. pose proof (closed s l t L Ht) as Lt'.
    destruct (Nat.eq_dec (cs t) (cs s)) as [Q|Q].
    + destruct (IHb (settle t) ltac:(lia) t ltac:(lia) (le_n _) Lt' ltac:(lia)) as [r [C B]].
      exists (Move l t r). split; [apply counts_before; auto|]. apply (behind s l t r); auto.
    + destruct (IHa (cs t) ltac:(lia) (settle t) t eq_refl (le_n _) Lt' ltac:(lia)) as [r [C B]].
      exists (Move l t r). split; [apply counts_before; auto|]. apply (behind s l t r); auto.
Qed.
End Homes.
End Suffixes.
