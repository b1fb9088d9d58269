(* Completeness: every finite model and every property have a certificate that is accepted. *)
From Coq Require Import List Arith Lia Bool Wf_nat.
From InevProof Require Import Lts Chain Check Accept Class Sound Fix.
Import ListNotations.

(* The greatest number up to k that f holds of, and the least one below k. *)
Fixpoint top (k : nat) (f : nat -> bool) : nat :=
  match k with 0 => 0 | S k' => if f k then k else top k' f end.
Fixpoint low (k j : nat) (f : nat -> bool) : nat :=
  match k with 0 => j | S k' => if f j then j else low k' (S j) f end.

Lemma top_le f k : top k f <= k.
Proof. induction k as [|k IH]; simpl; auto. destruct (f (S k)); lia. Qed.
Lemma top_holds f k : f 0 = true -> f (top k f) = true.
Proof. intros H. induction k as [|k IH]; simpl; auto. destruct (f (S k)) eqn:E; auto. Qed.
Lemma top_greatest f k j : j <= k -> f j = true -> j <= top k f.
Proof.
  induction k as [|k IH]; simpl; intros H F; [lia|]. destruct (f (S k)) eqn:E; auto.
  apply IH; auto. destruct (Nat.eq_dec j (S k)) as [->|]; [congruence|lia].
Qed.

Lemma low_least f : forall k j, (exists i, j <= i < j + k /\ f i = true) ->
  f (low k j f) = true /\ j <= low k j f < j + k /\ forall i, j <= i -> f i = true -> low k j f <= i.
Proof.
  induction k as [|k IH]; simpl; intros j [i [Hi F]]; [lia|]. destruct (f j) eqn:E.
  - split; auto. split; [lia|auto].
  - destruct (IH (S j)) as [B [C D]].
    { exists i. split; auto. destruct (Nat.eq_dec i j) as [->|]; [congruence|lia]. }
    split; auto. split; [lia|]. intros i' Hi' F'. apply D; auto.
    destruct (Nat.eq_dec i' j) as [->|]; [congruence|lia].
Qed.

Section Complete.
Variables (m : lts) (p : chain).
Hypothesis Fin : finite m.
Notation n := (steps p).

Definition states : list nat := seq 0 (size m).
Definition nodes : list (nat * nat) := list_prod states (seq 0 (S n)).

Lemma in_states s : In s states <-> s < size m.
Proof. unfold states. rewrite in_seq. lia. Qed.
Lemma in_nodes s j : In (s, j) nodes <-> s < size m /\ j <= n.
Proof. unfold nodes. rewrite in_prod_iff, in_states, in_seq. lia. Qed.
Lemma to_state s l t : s < size m -> step m s l t -> t < size m.
Proof. intros H [i [Hi [_ <-]]]. apply Fin; auto. Qed.

(* Whether some transition into t comes from s, as its transition i, with f s i. *)
Definition from (t : nat) (f : nat -> nat -> bool) : bool :=
  any (size m) (fun s => any (degree m s) (fun i => (target m s i =? t) && f s (label m s i))).
Lemma from_iff t f : from t f = true <-> exists s l, s < size m /\ step m s l t /\ f s l = true.
Proof.
  unfold from. rewrite any_iff. split.
  - intros [s [Hs H]]. rewrite any_iff in H. destruct H as [i [Hi H]].
    rewrite andb_true_iff, Nat.eqb_eq in H. destruct H as [<- H].
    exists s, (label m s i). split; auto. split; auto. apply step_edge. auto.
  - intros [s [l [Hs [[i [Hi [<- <-]]] H]]]]. exists s. split; auto. rewrite any_iff. exists i.
    split; auto. rewrite Nat.eqb_refl, H. auto.
Qed.

Lemma before_le j l : before p j l <= j.
Proof. unfold before. destruct j as [|j]; auto. destruct (does p (S j) l); lia. Qed.
Lemma before_mono j j' l : j <= j' -> before p j l <= before p j' l.
Proof.
  intros H. destruct (Nat.eq_dec j j') as [->|N]; auto. pose proof (before_le j l).
  destruct j' as [|j']; [lia|]. unfold before at 2. destruct (does p (S j') l); lia.
Qed.

(* Runs to t with progress at least j *)
Definition F1 (X : nat * nat -> bool) (v : nat * nat) : bool :=
  ((fst v =? initial m) && (snd v =? 0)) || from (fst v) (fun s l => X (s, before p (snd v) l)).
Lemma F1_iff X t j : F1 X (t, j) = true <-> (t = initial m /\ j = 0) \/
  exists s l, s < size m /\ step m s l t /\ X (s, before p j l) = true.
Proof. unfold F1. simpl. rewrite orb_true_iff, andb_true_iff, !Nat.eqb_eq, from_iff. tauto. Qed.
Lemma F1_mono X Y : within _ nodes X Y -> within _ nodes (F1 X) (F1 Y).
Proof.
  intros W [t j] Hv H. apply in_nodes in Hv. apply F1_iff in H. apply F1_iff.
  destruct H as [H|[s [l [Hs [Ht H]]]]]; auto. right. exists s, l. split; auto. split; auto. apply W; auto.
  apply in_nodes. pose proof (before_le j l). lia.
Qed.
Definition some (s j : nat) : bool := fix_ _ nodes F1 (s, j).
Definition first0 (s j : nat) : nat := rank _ nodes F1 (s, j).
Definition listed0 (s : nat) : bool := some s 0.
Definition mp0 (s : nat) : nat := top n (some s).

Lemma some_from s l t j : s < size m -> step m s l t -> j <= n -> some s (before p j l) = true ->
  some t j = true /\ first0 t j <= S (first0 s (before p j l)).
Proof.
  intros Hs Ht Hj H. apply (fix_to _ nodes F1 F1_mono (t, j)).
  - apply in_nodes. split; auto. apply (to_state s l); auto.
  - apply F1_iff. right. exists s, l. split; auto. split; auto. unfold below.
    rewrite andb_true_iff, Nat.ltb_lt. split; [exact H|unfold first0; lia].
Qed.
Lemma some_init : some (initial m) 0 = true /\ first0 (initial m) 0 = 0.
Proof.
  assert (B : In (initial m, 0) nodes) by (apply in_nodes; split; [apply Fin|lia]).
  destruct (fix_to _ nodes F1 F1_mono (initial m, 0) 0 B) as [C D].
  - apply F1_iff. auto.
  - split; auto. unfold first0. lia.
Qed.
Lemma some_by t j : t < size m -> j <= n -> some t j = true -> (t = initial m /\ j = 0) \/
  exists s l, s < size m /\ step m s l t /\ some s (before p j l) = true /\
    first0 t j = S (first0 s (before p j l)).
Proof.
  intros Ht Hj H. assert (B : In (t, j) nodes) by (apply in_nodes; auto).
  pose proof (fix_from _ nodes F1 F1_mono (t, j) B H) as C. apply F1_iff in C.
  destruct C as [C|[s [l [Hs [St C]]]]]; auto. right. exists s, l. unfold below in C.
  rewrite andb_true_iff, Nat.ltb_lt in C. destruct C as [C D]. split; auto. split; auto. split; auto.
  destruct (some_from s l t j Hs St Hj C) as [_ E]. unfold first0 in *. lia.
Qed.
Lemma some_down : forall j' t j, t < size m -> j <= n -> some t j = true -> j' <= j -> some t j' = true.
Proof.
  enough (G : forall d j' t j, first0 t j <= d -> t < size m -> j <= n -> some t j = true -> j' <= j -> some t j' = true).
  { intros. apply (G (first0 t j) j' t j); auto. }
  induction d as [d IH] using lt_wf_ind. intros j' t j D Ht Hj H L.
  destruct (some_by t j Ht Hj H) as [[-> ->]|[s [l [Hs [St [B E]]]]]].
  - replace j' with 0 by lia. apply some_init.
  - apply (some_from s l t j'); auto; [lia|].
    apply (IH (first0 s (before p j l)) ltac:(lia) _ s (before p j l)); auto.
    + pose proof (before_le j l). lia.
    + apply before_mono. auto.
Qed.
Lemma some_mp s j : s < size m -> listed0 s = true -> (j <= mp0 s <-> j <= n /\ some s j = true).
Proof.
  intros Hs L. split.
  - intros H. pose proof (top_le (some s) n). unfold mp0 in H. split; [lia|].
    apply (some_down j s (mp0 s)); auto. apply top_holds. auto.
  - intros [J H]. apply top_greatest; auto.
Qed.

(* Runs to t with progress j exactly *)
Definition F2 (X : nat * nat -> bool) (v : nat * nat) : bool :=
  ((fst v =? initial m) && (snd v =? 0)) ||
  from (fst v) (fun s l => any (S n) (fun j => X (s, j) && (adv p j l =? snd v))).
Lemma F2_iff X t j : F2 X (t, j) = true <-> (t = initial m /\ j = 0) \/
  exists s l i, s < size m /\ step m s l t /\ i <= n /\ X (s, i) = true /\ adv p i l = j.
Proof.
  unfold F2. simpl. rewrite orb_true_iff, andb_true_iff, !Nat.eqb_eq, from_iff.
  split; (intros [H|H]; [auto|right]).
  - destruct H as [s [l [Hs [Ht H]]]]. apply (any_iff (S n)) in H. destruct H as [i [Hi H]].
    rewrite andb_true_iff, Nat.eqb_eq in H. exists s, l, i. repeat split; tauto || lia || auto.
  - destruct H as [s [l [i [Hs [Ht [Hi [H E]]]]]]]. exists s, l. split; auto. split; auto.
    apply (any_iff (S n)). exists i. split; [lia|]. rewrite andb_true_iff, Nat.eqb_eq. auto.
Qed.
Lemma F2_mono X Y : within _ nodes X Y -> within _ nodes (F2 X) (F2 Y).
Proof.
  intros W [t j] _ H. apply F2_iff in H. apply F2_iff.
  destruct H as [H|[s [l [i [Hs [Ht [Hi [H E]]]]]]]]; auto. right. exists s, l, i.
  repeat split; auto. apply W; auto. apply in_nodes. auto.
Qed.
Definition just (s j : nat) : bool := fix_ _ nodes F2 (s, j).
Definition cp0 (s : nat) : nat := low (S n) 0 (just s).

Lemma just_from s l t i : s < size m -> step m s l t -> i <= n -> just s i = true -> just t (adv p i l) = true.
Proof.
  intros Hs Ht Hi H. apply (fix_closed _ nodes F2 F2_mono).
  - apply in_nodes. split; [apply (to_state s l); auto|apply adv_le; auto].
  - apply F2_iff. right. exists s, l, i. auto.
Qed.
Lemma just_init : just (initial m) 0 = true.
Proof.
  apply (fix_closed _ nodes F2 F2_mono); [apply in_nodes; split; [apply Fin|lia]|]. apply F2_iff. auto.
Qed.
Lemma just_some : forall s, s < size m -> listed0 s = true -> exists j, j <= n /\ just s j = true.
Proof.
  enough (G : forall d s, first0 s 0 <= d -> s < size m -> listed0 s = true -> exists j, j <= n /\ just s j = true).
  { intros. apply (G (first0 s 0)); auto. }
  induction d as [d IH] using lt_wf_ind. intros t D Ht L.
  destruct (some_by t 0 Ht ltac:(lia) L) as [[-> _]|[s [l [Hs [St [B E]]]]]].
  - exists 0. split; [lia|apply just_init].
  - simpl in B, E. destruct (IH (first0 s 0) ltac:(lia) s ltac:(lia) Hs B) as [j [Hj J]].
    exists (adv p j l). split; [apply adv_le; auto|]. apply (just_from s l t j); auto.
Qed.
Lemma cp0_right s : s < size m -> listed0 s = true ->
  cp0 s <= n /\ just s (cp0 s) = true /\ forall j, just s j = true -> cp0 s <= j.
Proof.
  intros Hs L. destruct (just_some s Hs L) as [j [Hj J]].
  destruct (low_least (just s) (S n) 0) as [B [C D]]; [exists j; split; auto; lia|].
  split; [unfold cp0; lia|]. split; auto. intros i Hi. apply D; auto. lia.
Qed.
Lemma just_listed : forall s j, s < size m -> j <= n -> just s j = true -> listed0 s = true.
Proof.
  enough (G : forall v, In v nodes -> fix_ _ nodes F2 v = true -> listed0 (fst v) = true).
  { intros s j Hs Hj H. apply (G (s, j)); auto. apply in_nodes. auto. }
  apply (fix_ind _ nodes F2). intros [t j] Hv H IH. apply in_nodes in Hv.
  pose proof (fix_from _ nodes F2 F2_mono (t, j) ltac:(apply in_nodes; auto) H) as C. apply F2_iff in C. simpl.
  destruct C as [[-> _]|[s [l [i [Hs [St [Hi [C E]]]]]]]]; [apply some_init|].
  unfold below in C. rewrite andb_true_iff, Nat.ltb_lt in C. destruct C as [C D].
  apply (some_from s l t 0); auto; [lia|]. simpl. apply (IH (s, i)); auto. apply in_nodes. auto.
Qed.

(* Runs to t on which each state is entered with its common prefix *)
Definition F3 (X : nat -> bool) (t : nat) : bool :=
  (t =? initial m) || from t (fun s l => X s && listed0 s && (adv p (cp0 s) l =? cp0 t)).
Lemma F3_iff X t : F3 X t = true <-> t = initial m \/
  exists s l, s < size m /\ step m s l t /\ X s = true /\ listed0 s = true /\ adv p (cp0 s) l = cp0 t.
Proof.
  unfold F3. rewrite orb_true_iff, Nat.eqb_eq, from_iff. split; (intros [H|H]; [auto|right]).
  - destruct H as [s [l [Hs [Ht H]]]]. rewrite !andb_true_iff, Nat.eqb_eq in H. exists s, l. tauto.
  - destruct H as [s [l [Hs [Ht H]]]]. exists s, l. rewrite !andb_true_iff, Nat.eqb_eq. tauto.
Qed.
Lemma F3_mono X Y : within _ states X Y -> within _ states (F3 X) (F3 Y).
Proof.
  intros W t _ H. apply F3_iff in H. apply F3_iff. destruct H as [H|[s [l [Hs [Ht [H R]]]]]]; auto.
  right. exists s, l. repeat split; auto; try apply R. apply W; auto. apply in_states. auto.
Qed.
Definition poor : nat -> bool := fix_ _ states F3.
Definition least0 : nat -> nat := rank _ states F3.

Lemma cp0_le s l t : s < size m -> listed0 s = true -> step m s l t -> cp0 t <= adv p (cp0 s) l.
Proof.
  intros Hs L Ht. assert (Lt : listed0 t = true) by (apply (some_from s l t 0); auto; lia).
  destruct (cp0_right s Hs L) as [B [C _]]. apply (cp0_right t); auto; [apply (to_state s l); auto|].
  apply (just_from s l t); auto.
Qed.

(* Dijkstra's argument *)
Lemma poor_all : forall t, t < size m -> listed0 t = true -> poor t = true.
Proof.
  enough (G : forall j v, In v nodes -> fix_ _ nodes F2 v = true -> snd v = j -> cp0 (fst v) = j -> poor (fst v) = true).
  { intros t Ht L. destruct (cp0_right t Ht L) as [B [C _]]. apply (G (cp0 t) (t, cp0 t)); auto.
    apply in_nodes. auto. }
  induction j as [j IHj] using lt_wf_ind. apply (fix_ind _ nodes F2 (fun v => snd v = j -> cp0 (fst v) = j -> poor (fst v) = true)).
  intros [t j'] Hv H IH E1 E2. simpl in E1, E2 |- *. subst j'. apply in_nodes in Hv. destruct Hv as [Ht Hj].
  apply (fix_closed _ states F3 F3_mono); [apply in_states; auto|]. apply F3_iff.
  pose proof (fix_from _ nodes F2 F2_mono (t, j) ltac:(apply in_nodes; auto) H) as C. apply F2_iff in C.
  destruct C as [[-> _]|[s [l [i [Hs [St [Hi [C E]]]]]]]]; auto. right.
  unfold below in C. rewrite andb_true_iff, Nat.ltb_lt in C. destruct C as [C D].
  assert (L : listed0 s = true) by (apply (just_listed s i); auto).
  destruct (cp0_right s Hs L) as [B1 [B2 B3]]. pose proof (B3 i C) as B4.
  pose proof (cp0_le s l t Hs L St) as B5. pose proof (adv_mono p _ _ l B4) as B6.
  pose proof (adv_ge p i l). exists s, l. split; auto. split; auto. split; [|split; [auto|lia]].
  destruct (Nat.eq_dec (cp0 s) j) as [Ej|N].
  - assert (i = j) by lia. subst i. apply (IH (s, j)); auto. apply in_nodes. auto.
  - apply (IHj (cp0 s) ltac:(lia) (s, cp0 s)); auto. apply in_nodes. auto.
Qed.
Lemma least_from s l t : s < size m -> listed0 s = true -> step m s l t -> adv p (cp0 s) l = cp0 t ->
  least0 t <= S (least0 s).
Proof.
  intros Hs L Ht E. apply (fix_to _ states F3 F3_mono t).
  - apply in_states. apply (to_state s l); auto.
  - apply F3_iff. right. exists s, l. repeat split; auto. unfold below. rewrite andb_true_iff, Nat.ltb_lt.
    split; [apply poor_all; auto|unfold least0; lia].
Qed.
Lemma least_init : least0 (initial m) = 0.
Proof.
  destruct (fix_to _ states F3 F3_mono (initial m) 0) as [_ D].
  - apply in_states. apply Fin.
  - apply F3_iff. auto.
  - unfold least0. lia.
Qed.
Lemma least_by t : t < size m -> listed0 t = true -> t = initial m \/
  exists s l, s < size m /\ step m s l t /\ listed0 s = true /\ adv p (cp0 s) l = cp0 t /\ least0 t = S (least0 s).
Proof.
  intros Ht L. pose proof (fix_from _ states F3 F3_mono t ltac:(apply in_states; auto) (poor_all t Ht L)) as C.
  apply F3_iff in C. destruct C as [C|[s [l [Hs [St [C [Ls E]]]]]]]; auto. right.
  unfold below in C. rewrite andb_true_iff, Nat.ltb_lt in C. destruct C as [_ D].
  pose proof (least_from s l t Hs Ls St E). exists s, l. repeat split; auto. unfold least0 in *. lia.
Qed.

(* Runs from s that contain the last v steps *)
Definition F4 (X : nat * nat -> bool) (v : nat * nat) : bool :=
  (snd v =? 0) || any (degree m (fst v)) (fun i => X (target m (fst v) i, rest p (snd v) (label m (fst v) i))).
Lemma F4_iff X s v : F4 X (s, v) = true <-> v = 0 \/ exists l t, step m s l t /\ X (t, rest p v l) = true.
Proof.
  unfold F4. simpl. rewrite orb_true_iff, Nat.eqb_eq, any_iff. split; (intros [H|H]; [auto|right]).
  - destruct H as [i [Hi H]]. exists (label m s i), (target m s i). split; auto. apply step_edge. auto.
  - destruct H as [l [t [[i [Hi [<- <-]]] H]]]. exists i. auto.
Qed.
Lemma rest_le v l : rest p v l <= v.
Proof. unfold rest. destruct (does p (S (n - v)) l); lia. Qed.
Lemma rest_mono v v' l : v <= v' -> rest p v l <= rest p v' l.
Proof.
  intros H. destruct (Nat.eq_dec v v') as [->|N]; auto. pose proof (rest_le v l). unfold rest at 2.
  destruct (does p (S (n - v')) l); lia.
Qed.
Lemma F4_mono X Y : within _ nodes X Y -> within _ nodes (F4 X) (F4 Y).
Proof.
  intros W [s v] Hv H. apply in_nodes in Hv. apply F4_iff in H. apply F4_iff.
  destruct H as [H|[l [t [Ht H]]]]; auto. right. exists l, t. split; auto. apply W; auto.
  apply in_nodes. split; [apply (to_state s l); tauto|]. pose proof (rest_le v l). lia.
Qed.
Definition ends_with (s v : nat) : bool := fix_ _ nodes F4 (s, v).
Definition next0 (s v : nat) : nat := rank _ nodes F4 (s, v).
Definition ms0 (s : nat) : nat := top n (ends_with s).

Lemma ends_0 s : s < size m -> ends_with s 0 = true /\ next0 s 0 = 0.
Proof.
  intros Hs. destruct (fix_to _ nodes F4 F4_mono (s, 0) 0) as [B C].
  - apply in_nodes. split; auto. lia.
  - apply F4_iff. auto.
  - split; auto. unfold next0. lia.
Qed.
Lemma ends_from s l t v : s < size m -> step m s l t -> v <= n -> ends_with t (rest p v l) = true ->
  ends_with s v = true /\ next0 s v <= S (next0 t (rest p v l)).
Proof.
  intros Hs Ht Hv H. apply (fix_to _ nodes F4 F4_mono (s, v)).
  - apply in_nodes. auto.
  - apply F4_iff. right. exists l, t. split; auto. unfold below. rewrite andb_true_iff, Nat.ltb_lt.
    split; [exact H|unfold next0; lia].
Qed.
Lemma ends_by s v : s < size m -> v <= n -> ends_with s v = true -> v = 0 \/
  exists l t, step m s l t /\ ends_with t (rest p v l) = true /\ next0 s v = S (next0 t (rest p v l)).
Proof.
  intros Hs Hv H. pose proof (fix_from _ nodes F4 F4_mono (s, v) ltac:(apply in_nodes; auto) H) as C.
  apply F4_iff in C. destruct C as [C|[l [t [Ht C]]]]; auto. right. unfold below in C.
  rewrite andb_true_iff, Nat.ltb_lt in C. destruct C as [C D]. exists l, t. split; auto. split; auto.
  destruct (ends_from s l t v Hs Ht Hv C) as [_ E]. unfold next0 in *. lia.
Qed.
Lemma ends_down : forall v' s v, s < size m -> v <= n -> ends_with s v = true -> v' <= v -> ends_with s v' = true.
Proof.
  enough (G : forall d v' s v, next0 s v <= d -> s < size m -> v <= n -> ends_with s v = true -> v' <= v -> ends_with s v' = true).
  { intros. apply (G (next0 s v) v' s v); auto. }
  induction d as [d IH] using lt_wf_ind. intros v' s v D Hs Hv H L.
  destruct (ends_by s v Hs Hv H) as [->|[l [t [Ht [B E]]]]].
  - replace v' with 0 by lia. apply ends_0. auto.
  - apply (ends_from s l t v'); auto; [lia|].
    apply (IH (next0 t (rest p v l)) ltac:(lia) _ t (rest p v l)); auto.
    + apply (to_state s l); auto.
    + pose proof (rest_le v l). lia.
    + apply rest_mono. auto.
Qed.
Lemma ends_ms s v : s < size m -> (v <= ms0 s <-> v <= n /\ ends_with s v = true).
Proof.
  intros Hs. split.
  - intros H. pose proof (top_le (ends_with s) n). unfold ms0 in H. split; [lia|].
    apply (ends_down v s (ms0 s)); auto. apply top_holds. apply ends_0. auto.
  - intros [J H]. apply top_greatest; auto.
Qed.

(* States from which all traces contain the last v steps *)
Definition F5 (v : nat) (prev X : nat -> bool) (s : nat) : bool :=
  negb (degree m s =? 0) &&
  all (degree m s) (fun i => if does p (S (n - S v)) (label m s i) then prev (target m s i) else X (target m s i)).
Lemma F5_iff v prev X s : F5 v prev X s = true <-> ~ deadlock m s /\
  forall l t, step m s l t -> (if does p (S (n - S v)) l then prev t else X t) = true.
Proof.
  unfold F5, deadlock. rewrite andb_true_iff, negb_true_iff, Nat.eqb_neq, all_iff. split; intros [H1 H2]; split; auto.
  - intros l t [i [Hi [<- <-]]]. auto.
  - intros i Hi. apply H2. apply step_edge. auto.
Qed.
Lemma F5_mono v prev X Y : within _ states X Y -> within _ states (F5 v prev X) (F5 v prev Y).
Proof.
  intros W s Hs H. apply in_states in Hs. apply F5_iff in H. apply F5_iff. destruct H as [H1 H2]. split; auto.
  intros l t Ht. specialize (H2 l t Ht). destruct (does p (S (n - S v)) l); auto. apply W; auto.
  apply in_states. apply (to_state s l); auto.
Qed.
Fixpoint must (v : nat) : nat -> bool :=
  match v with 0 => fun _ => true | S v' => fix_ _ states (F5 v' (must v')) end.
Definition due0 (s v : nat) : nat :=
  match v with 0 => 0 | S v' => S (rank _ states (F5 v' (must v')) s) end.
Definition cs0 (s : nat) : nat := top n (fun v => must v s).

Lemma must_by s v : s < size m -> must (S v) s = true -> ~ deadlock m s /\
  forall l t, step m s l t -> if does p (S (n - S v)) l then must v t = true
    else must (S v) t = true /\ due0 t (S v) < due0 s (S v).
Proof.
  intros Hs H. pose proof (fix_from _ states _ (F5_mono v (must v)) s ltac:(apply in_states; auto) H) as C.
  apply F5_iff in C. destruct C as [C1 C2]. split; auto. intros l t Ht. specialize (C2 l t Ht).
  destruct (does p (S (n - S v)) l); auto. unfold below in C2. rewrite andb_true_iff, Nat.ltb_lt in C2.
  simpl. split; [tauto|lia].
Qed.
Lemma must_from s v : s < size m -> ~ deadlock m s ->
  (forall l t, step m s l t -> if does p (S (n - S v)) l then must v t = true else must (S v) t = true) ->
  must (S v) s = true.
Proof.
  intros Hs D H. apply (fix_closed _ states _ (F5_mono v (must v))); [apply in_states; auto|].
  apply F5_iff. split; auto. intros l t Ht. specialize (H l t Ht). destruct (does p (S (n - S v)) l); auto.
Qed.
Lemma must_down : forall v s, S v <= n -> s < size m -> must (S v) s = true -> must v s = true.
Proof.
  induction v as [|v IHv]; [auto|]. intros s Hv.
  enough (G : forall d s, due0 s (S (S v)) <= d -> s < size m -> must (S (S v)) s = true -> must (S v) s = true).
  { apply (G (due0 s (S (S v)))). auto. }
  clear s. induction d as [d IH] using lt_wf_ind. intros s D Hs H.
  destruct (must_by s (S v) Hs H) as [N B]. apply must_from; auto. intros l t Ht. specialize (B l t Ht).
  assert (T : t < size m) by (apply (to_state s l); auto).
  assert (M : must (S v) t = true).
  { destruct (does p (S (n - S (S v))) l); auto. destruct B as [B1 B2].
    apply (IH (due0 t (S (S v))) ltac:(lia) t); auto. }
  destruct (does p (S (n - S v)) l); auto. apply IHv; auto. lia.
Qed.
Lemma must_le v' v s : v <= n -> s < size m -> must v s = true -> v' <= v -> must v' s = true.
Proof.
  intros Hv Hs H L. revert Hv H. induction L as [|v L IH]; auto. intros Hv H. apply IH; [lia|].
  apply must_down; auto.
Qed.
Lemma must_cs s v : s < size m -> (v <= cs0 s <-> v <= n /\ must v s = true).
Proof.
  intros Hs. split.
  - intros H. pose proof (top_le (fun v => must v s) n). unfold cs0 in H. split; [lia|].
    apply (must_le v (cs0 s)); auto. apply (top_holds (fun v => must v s)). auto.
  - intros [J H]. apply (top_greatest (fun v => must v s)); auto.
Qed.

Variable read : reading.
Hypothesis Begin : begin_ok m p = true.

(* The certificate, at first without what follows from the classes *)
Definition plain (count_ : class -> nat) : claims :=
  Claims (negb (cs0 (initial m) =? n)) listed0 mp0 cp0 ms0 cs0
    (fun s i => class_at m p (Claims false listed0 mp0 cp0 ms0 cs0 (fun _ _ => Neutral) (fun _ => 0) read [] None) s i)
    count_ read [] None.
Definition counted : class -> nat := fun k => members m (plain (fun _ => 0)) k 0.
Definition e0 : evidence := Evidence least0 first0 next0 due0.

Definition full (near_ : list (nat * kind * nat)) (run_ : option (nat * option nat * list move)) : claims :=
  Claims (violated (plain counted)) listed0 mp0 cp0 ms0 cs0 (class_of (plain counted)) counted read near_ run_.

Lemma advS_cases v l : advS p v l = v \/ advS p v l = S v /\ v < n /\ does p (n - v) l = true.
Proof.
  unfold advS. destruct ((v <? n) && does p (n - v) l) eqn:E; auto. right.
  rewrite andb_true_iff, Nat.ltb_lt in E. tauto.
Qed.

Lemma full_accepted near_ run_ : accepted m p (full near_ run_) e0.
Proof.
  constructor; [constructor|exact Begin|..]; unfold lists; simpl.
  - split; [apply some_init|apply Fin].
  - intros s _. apply top_le.
  - intros s l t [L Hs] Ht. pose proof (to_state s l t Hs Ht) as T.
    assert (Lt : listed0 t = true) by (apply (some_from s l t 0); auto; lia).
    split; [auto|]. split; [|apply cp0_le; auto].
    apply some_mp; auto. assert (B : mp0 s <= n) by apply top_le. split; [apply adv_le; auto|].
    apply (some_from s l t); auto; [apply adv_le; auto|].
    apply (some_mp s); auto. apply adv_before. auto.
  - apply some_init.
  - intros s l t j [L Hs] Ht J N B. pose proof (to_state s l t Hs Ht) as T.
    assert (Lt : listed0 t = true) by (apply (some_from s l t 0); auto; lia).
    apply (some_from s l t j); auto.
    + apply some_mp in J; auto. tauto.
    + apply some_mp in B; auto. tauto.
  - intros t j [L T] J N. apply some_mp in J; auto. destruct J as [J1 J2].
    destruct (some_by t j T J1 J2) as [[-> ->]|[s [l [Hs [St [B E]]]]]]; [lia|].
    assert (Ls : listed0 s = true).
    { apply (some_down 0 s (before p j l)); auto; [pose proof (before_le j l); lia|lia]. }
    exists s, l. split; auto. split; auto. split; auto. apply some_mp; auto. split; auto.
    pose proof (before_le j l). lia.
  - assert (B : cp0 (initial m) <= 0); [|lia].
    apply (cp0_right (initial m)); [apply Fin|apply some_init|apply just_init].
  - apply least_init.
  - intros s l t [L Hs] Ht _ E. apply (least_from s l t); auto.
  - intros t [L T] N. destruct (least_by t T L) as [|[s [l [Hs [St [Ls [E D]]]]]]]; [contradiction|].
    exists s, l. auto.
  - intros s _. apply top_le.
  - intros s l t [L Hs] Ht. pose proof (to_state s l t Hs Ht) as T.
    assert (B : ms0 t <= n) by apply top_le.
    assert (M : ends_with t (ms0 t) = true) by (apply (ends_ms t); auto).
    destruct (advS_cases (ms0 t) l) as [->|[-> [V D]]]; apply ends_ms; auto.
    + split; auto. apply (ends_from s l t); auto. apply (ends_down _ t (ms0 t)); auto. apply rest_le.
    + split; [lia|]. apply (ends_from s l t); auto. apply (ends_down _ t (ms0 t)); auto.
      unfold rest. replace (S (n - S (ms0 t))) with (n - ms0 t) by lia. rewrite D. lia.
  - intros s l t v [L Hs] Ht V W B. pose proof (to_state s l t Hs Ht) as T.
    apply ends_ms in W; auto. apply ends_ms in B; auto.
    destruct (ends_from s l t v Hs Ht (proj1 W) (proj2 B)) as [_ E].
    unfold next_. destruct (rest p v l) as [|w] eqn:R; auto. simpl. rewrite (proj2 (ends_0 t T)) in E. auto.
  - intros s v [L Hs] V W. apply ends_ms in W; auto. destruct W as [W1 W2].
    destruct (ends_by s v Hs W1 W2) as [|[l [t [Ht [B E]]]]]; [lia|].
    pose proof (to_state s l t Hs Ht) as T. exists l, t. split; auto. split.
    + apply ends_ms; auto. split; auto. pose proof (rest_le v l). lia.
    + rewrite E. unfold next_. destruct (rest p v l) as [|w] eqn:R; auto. rewrite (proj2 (ends_0 t T)). auto.
  - intros s _. apply top_le.
  - intros s [L Hs] D. destruct (cs0 s) as [|v] eqn:E; auto. exfalso.
    assert (M : S v <= cs0 s) by lia. apply must_cs in M; auto. destruct M as [_ M].
    destruct (must_by s v Hs M) as [N _]. auto.
  - intros s l t [L Hs] Ht. pose proof (to_state s l t Hs Ht) as T. destruct (cs0 s) as [|v] eqn:E; [lia|].
    assert (M : S v <= cs0 s) by lia. apply must_cs in M; auto. destruct M as [M1 M2].
    destruct (must_by s v Hs M2) as [_ B]. specialize (B l t Ht). pose proof (advS_ge p (cs0 t) l).
    destruct (does p (S (n - S v)) l) eqn:D.
    + assert (C : v <= cs0 t) by (apply must_cs; auto; split; auto; lia).
      destruct (Nat.eq_dec (cs0 t) v) as [Ev|]; [|lia]. unfold advS. rewrite Ev.
      replace (n - v) with (S (n - S v)) by lia. rewrite D.
      replace (v <? n) with true by (symmetry; apply Nat.ltb_lt; lia). simpl. lia.
    + destruct B as [B _]. assert (C : S v <= cs0 t) by (apply must_cs; auto). lia.
  - intros s [L Hs] D.
    destruct (any (degree m s) (fun i => cs0 s =? advS p (cs0 (target m s i)) (label m s i))) eqn:E.
    + apply any_iff in E. destruct E as [i [Hi E]]. apply Nat.eqb_eq in E. exists i. auto.
    + exfalso.
      assert (LE : forall l t, step m s l t -> S (cs0 s) <= advS p (cs0 t) l).
      { intros l t Ht. pose proof (to_state s l t Hs Ht) as T. pose proof (advS_ge p (cs0 t) l).
        assert (NE : cs0 s <> advS p (cs0 t) l).
        { intros Q. destruct Ht as [i [Hi [<- <-]]]. rewrite <- not_true_iff_false in E. apply E.
          apply any_iff. exists i. split; auto. apply Nat.eqb_eq. auto. }
        enough (cs0 s <= advS p (cs0 t) l) by lia.
        destruct (cs0 s) as [|v] eqn:Ev; [lia|].
        assert (M : S v <= cs0 s) by lia. apply must_cs in M; auto. destruct M as [M1 M2].
        destruct (must_by s v Hs M2) as [_ B]. specialize (B l t Ht).
        destruct (does p (S (n - S v)) l) eqn:Dl.
        - assert (C : v <= cs0 t) by (apply must_cs; auto; split; auto; lia).
          destruct (Nat.eq_dec (cs0 t) v) as [Ew|]; [|lia]. unfold advS. rewrite Ew.
          replace (n - v) with (S (n - S v)) by lia. rewrite Dl.
          replace (v <? n) with true by (symmetry; apply Nat.ltb_lt; lia). simpl. lia.
        - destruct B as [B _]. assert (C : S v <= cs0 t) by (apply must_cs; auto). lia. }
      assert (V : S (cs0 s) <= n).
      { assert (Dg : 0 < degree m s) by (unfold deadlock in D; lia).
        specialize (LE _ _ (step_edge m s 0 Dg)).
        assert (B : cs0 (target m s 0) <= n) by apply top_le.
        destruct (advS_cases (cs0 (target m s 0)) (label m s 0)) as [Q|[Q [Q1 _]]]; lia. }
      enough (S (cs0 s) <= cs0 s) by lia. apply must_cs; auto. split; auto. apply must_from; auto.
      intros l t Ht. pose proof (to_state s l t Hs Ht) as T. specialize (LE l t Ht).
      destruct (advS_cases (cs0 t) l) as [Q|[Q [Q1 Q2]]]; rewrite Q in LE.
      * destruct (does p (S (n - S (cs0 s))) l); apply (must_cs t); auto; lia.
      * destruct (does p (S (n - S (cs0 s))) l) eqn:Dl; [apply (must_cs t); auto; lia|].
        apply (must_cs t); auto. destruct (Nat.eq_dec (cs0 t) (cs0 s)) as [Ev|]; [|lia].
        rewrite Ev in Q2. replace (n - cs0 s) with (S (n - S (cs0 s))) in Q2 by lia. congruence.
  - intros s [|v] _ V _; [lia|]. simpl. lia.
  - intros s l t [|v] [L Hs] Ht V W D; [lia|]. apply must_cs in W; auto. destruct W as [W1 W2].
    destruct (must_by s v Hs W2) as [_ B]. specialize (B l t Ht). rewrite D in B. lia.
  - intros s [|v] [L Hs] V W; [lia|]. apply must_cs in W; auto. destruct W as [W1 W2].
    destruct (must_by s v Hs W2) as [N B]. simpl. destruct (rank nat states (F5 v (must v)) s) as [|k] eqn:R; auto. right.
    destruct (any (degree m s) (fun i => negb (does p (S (n - S v)) (label m s i)) &&
      (rank nat states (F5 v (must v)) (target m s i) =? k))) eqn:E.
    + apply any_iff in E. destruct E as [i [Hi E]]. rewrite andb_true_iff, negb_true_iff, Nat.eqb_eq in E.
      exists (label m s i), (target m s i). destruct E as [E1 ->]. repeat split; auto. apply step_edge. auto.
    + exfalso. enough (rank nat states (F5 v (must v)) s <= k) by lia.
      apply (fix_to _ states _ (F5_mono v (must v)) s k); [apply in_states; auto|]. apply F5_iff. split; auto.
      intros l t Ht. specialize (B l t Ht). destruct (does p (S (n - S v)) l) eqn:D; auto.
      destruct B as [B1 B2]. simpl in B2. unfold below. rewrite andb_true_iff, Nat.ltb_lt. split; auto.
      enough (rank nat states (F5 v (must v)) t <> k) by lia. intros Q.
      rewrite <- not_true_iff_false in E. apply E. destruct Ht as [i [Hi [<- <-]]]. apply any_iff. exists i.
      split; auto. rewrite D, Q, Nat.eqb_refl. auto.
  - reflexivity.
  - reflexivity.
  - reflexivity.
Qed.
End Complete.

(* Where f has more places than values, two of them have the same. *)
Lemma pigeonhole (f : nat -> nat) (k : nat) : (forall i, i <= k -> f i < k) ->
  exists i d, i + S d <= k /\ f i = f (i + S d).
Proof.
  intros H. set (l := map f (seq 0 (S k))).
  assert (Ln : length l = S k) by (unfold l; rewrite map_length, seq_length; auto).
  assert (Nth : forall i, i <= k -> nth i l (f 0) = f i).
  { intros i Hi. unfold l. rewrite map_nth, seq_nth by lia. auto. }
  destruct (any (S k) (fun i => any k (fun d => (i + S d <=? k) && (f i =? f (i + S d))))) eqn:E.
  - apply any_iff in E. destruct E as [i [_ E]]. apply any_iff in E. destruct E as [d [_ E]].
    rewrite andb_true_iff, Nat.leb_le, Nat.eqb_eq in E. exists i, d. exact E.
  - exfalso. rewrite <- not_true_iff_false in E.
    assert (B : length l <= length (seq 0 k)); [|rewrite Ln, seq_length in B; lia].
    assert (No : forall i j, i < j -> j <= k -> f i = f j -> False).
    { intros i j Hij Hj Q. apply E. apply any_iff. exists i. split; [lia|]. apply any_iff. exists (j - i - 1).
      split; [lia|]. replace (i + S (j - i - 1)) with j by lia. rewrite andb_true_iff, Nat.leb_le, Nat.eqb_eq. auto. }
    apply NoDup_incl_length.
    + apply (NoDup_nth l (f 0)). rewrite Ln. intros i j Hi Hj Q. rewrite !Nth in Q by lia.
      destruct (Nat.lt_total i j) as [H'|[H'|H']]; auto; exfalso.
      * apply (No i j); auto. lia.
      * apply (No j i); auto. lia.
    + intros a Ha. unfold l in Ha. apply in_map_iff in Ha.
      destruct Ha as [i [<- Hi]]. apply in_seq in Hi. apply in_seq. specialize (H i). lia.
Qed.

Definition same_pair (u v : nat * nat) : bool := (fst u =? fst v) && (snd u =? snd v).
Fixpoint place_of (v : nat * nat) (l : list (nat * nat)) : nat :=
  match l with [] => 0 | u :: r => if same_pair u v then 0 else S (place_of v r) end.
Lemma place_of_right v l : In v l -> place_of v l < length l /\ nth (place_of v l) l (0, 0) = v.
Proof.
  induction l as [|u l IH]; simpl; [contradiction|]. unfold same_pair.
  destruct ((fst u =? fst v) && (snd u =? snd v)) eqn:E.
  - intros _. split; [lia|]. rewrite andb_true_iff, !Nat.eqb_eq in E. destruct u, v. simpl in *.
    destruct E; subst; auto.
  - intros [->|H]; [rewrite !Nat.eqb_refl in E; discriminate|]. destruct (IH H). split; auto. lia.
Qed.

Section Rest.
Variables (m : lts) (p : chain) (read : reading).
Hypothesis Fin : finite m.
Hypothesis Begin : begin_ok m p = true.
Notation n := (steps p).
Notation e := (e0 m p).
Notation full := (full m p read).

Definition into (t : nat) : list (nat * nat) :=
  filter (fun v => target m (fst v) (snd v) =? t)
    (flat_map (fun s => if listed0 m p s then map (pair s) (seq 0 (degree m s)) else []) (seq 0 (size m))).
Lemma in_into s i t : In (s, i) (into t) <->
  s < size m /\ listed0 m p s = true /\ i < degree m s /\ target m s i = t.
Proof.
  unfold into. rewrite filter_In, in_flat_map, Nat.eqb_eq. simpl. split.
  - intros [[u [Hu H]] E]. apply in_seq in Hu. destruct (listed0 m p u) eqn:L; [|contradiction].
    apply in_map_iff in H. destruct H as [j [Q Hj]]. inversion Q; subst. apply in_seq in Hj.
    repeat split; auto; lia.
  - intros [Hs [L [Hi E]]]. split; auto. exists s. rewrite in_seq. split; [lia|]. rewrite L.
    apply in_map_iff. exists i. rewrite in_seq. split; auto. lia.
Qed.
Definition x0 : index := Index (fun t => length (into t))
  (fun t k => fst (nth k (into t) (0, 0))) (fun t k => snd (nth k (into t) (0, 0)))
  (fun s i => place_of (s, i) (into (target m s i))).
Lemma x0_indexed near_ run_ : indexed m (listed (full near_ run_)) x0.
Proof.
  constructor; unfold lists; simpl.
  - intros s i [L Hs] Hi. destruct (place_of_right (s, i) (into (target m s i))) as [B C].
    { apply in_into. auto. }
    rewrite C. auto.
  - intros s k _ Hk. pose proof (nth_In (into s) (0, 0) Hk) as H.
    destruct (nth k (into s) (0, 0)) as [u i] eqn:E. apply in_into in H. simpl. tauto.
Qed.

(* Neighbourhoods *)
Definition kind0 (s : nat) : option kind := kind_at m (full [] None) x0 s.
Fixpoint nears (k s : nat) : list (nat * kind * nat) :=
  match k with
  | 0 => []
  | S k' => match (if listed0 m p s then kind0 s else None) with
    | Some a => (s, a, first0 m p s 0 - ahead m) :: nears k' (S s)
    | None => nears k' (S s)
    end
  end.
Lemma nears_right near_ run_ : forall k s, walk m (full near_ run_) x0 (fun s => first e s 0 - ahead m) k s (nears k s) = None.
Proof.
  induction k as [|k IH]; intros s; cbn [walk nears]; auto.
  change (kind_at m (full near_ run_) x0 s) with (kind0 s).
  change (listed (full near_ run_) s) with (listed0 m p s).
  destruct (if listed0 m p s then kind0 s else None) as [a|]; auto.
  rewrite Nat.eqb_refl, (proj2 (same_kind_iff a a) eq_refl). simpl. rewrite Nat.eqb_refl. auto.
Qed.
Definition all_nears := nears (size m) 0.

(* The counterexample: the run that always takes a transition that brings no more than cs *)
Definition c1 : claims := full all_nears None.
Lemma A1 : accepted m p c1 e.
Proof. apply full_accepted; auto. Qed.
Definition go (s : nat) : nat := poorest m p c1 s.
Definition made (v : nat * nat) : move :=
  let s := fst v in let j := snd v in let l := label m s (go s) in let t := target m s (go s) in
  MkMove s (go s) l t (class_of c1 s (go s)) (adv p j l) (lost p c1 t (adv p j l)) (near m c1 x0 s)
    (own m s && negb (lost p c1 (initial m) 0) && (near m c1 x0 s || near m c1 x0 t || (negb (lost p c1 s j) && lost p c1 t (adv p j l)))).
Definition then_ (v : nat * nat) : nat * nat := (x_to (made v), x_progress (made v)).
Fixpoint at_ (k : nat) (v : nat * nat) : nat * nat := match k with 0 => v | S k' => at_ k' (then_ v) end.
Fixpoint trail (k : nat) (v : nat * nat) : list move := match k with 0 => [] | S k' => made v :: trail k' (then_ v) end.

Lemma at_add i d v : at_ (i + d) v = at_ d (at_ i v).
Proof. revert v. induction i as [|i IH]; simpl; auto. Qed.
Lemma skip_trail i d v : skipn i (trail (i + d) v) = trail d (at_ i v).
Proof. revert v. induction i as [|i IH]; simpl; auto. Qed.
Lemma in_trail y d : forall v, In y (trail d v) -> exists k, k < d /\ y = made (at_ k v).
Proof.
  induction d as [|d IH]; simpl; intros v H; [contradiction|]. destruct H as [<-|H].
  - exists 0. split; auto. lia.
  - destruct (IH _ H) as [k [Hk E]]. exists (S k). split; auto. lia.
Qed.

Lemma go_right v : lists m (listed c1) (fst v) -> degree m (fst v) <> 0 ->
  go (fst v) < degree m (fst v) /\ cs c1 (fst v) = advS p (cs c1 (fst (then_ v))) (x_label (made v)) /\
  step m (fst v) (x_label (made v)) (fst (then_ v)) /\ lists m (listed c1) (fst (then_ v)).
Proof.
  intros L D. destruct (poorest_right _ _ _ _ A1 (fst v) L D) as [B C].
  assert (H : step m (fst v) (x_label (made v)) (fst (then_ v))) by (apply step_edge; auto).
  split; auto. split; auto. split; auto. apply (a_entry _ _ _ _ A1 (fst v) (x_label (made v))); auto.
Qed.

Lemma made_ok near_run_ v : lists m (listed c1) (fst v) -> degree m (fst v) <> 0 ->
  move_ok m (full all_nears near_run_) x0 (initial m, 0) fst snd (Check.go m p) (gone p (full all_nears near_run_)) v (made v) = true.
Proof.
  intros L D. destruct (go_right v L D) as [B _].
  change (move_ok m c1 x0 (initial m, 0) fst snd (Check.go m p) (gone p c1) v (made v) = true). unfold move_ok. cbv zeta.
  unfold made, gone, Check.go. cbn [x_from x_out x_label x_to x_class x_progress x_fated x_near x_kept fst snd].
  rewrite !Nat.eqb_refl, !eqb_reflx, (proj2 (same_iff _ _) eq_refl).
  apply Nat.ltb_lt in B. rewrite B. auto.
Qed.

Lemma replay_trail near_run_ : forall k q v, lists m (listed c1) (fst v) ->
  (forall i, i < k -> degree m (fst (at_ i v)) <> 0) ->
  replay m (full all_nears near_run_) x0 (initial m, 0) fst snd (Check.go m p) (gone p (full all_nears near_run_)) q v (trail k v) =
    Came (at_ k v).
Proof.
  induction k as [|k IH]; intros q v L D; [auto|]. cbn [trail replay at_].
  assert (D0 : degree m (fst v) <> 0) by (apply (D 0); lia).
  rewrite (made_ok near_run_ v L D0). destruct (go_right v L D0) as [_ [_ [_ L']]].
  change (Check.go m p v (x_out (made v))) with (then_ v).
  apply IH; auto. intros i Hi. apply (D (S i)). lia.
Qed.

Lemma falls v : lists m (listed c1) (fst v) -> degree m (fst v) <> 0 -> snd v + cs c1 (fst v) < n ->
  snd (then_ v) + cs c1 (fst (then_ v)) < n.
Proof.
  intros L D H. destruct (go_right v L D) as [_ [E _]]. unfold then_ at 1. cbn [snd].
  change (x_progress (made v)) with (adv p (snd v) (x_label (made v))).
  unfold adv, advS in *. set (l := x_label (made v)) in *. set (t := fst (then_ v)) in *.
  destruct ((snd v <? n) && does p (S (snd v)) l) eqn:E1;
    destruct ((cs c1 t <? n) && does p (n - cs c1 t) l) eqn:E2; try lia.
  destruct (Nat.eq_dec (S (snd v) + cs c1 t) n) as [Q|]; [|lia]. exfalso.
  rewrite andb_true_iff in E1. destruct E1 as [_ E1]. replace (S (snd v)) with (n - cs c1 t) in E1 by lia.
  rewrite E1 in E2. replace (cs c1 t <? n) with true in E2 by (symmetry; apply Nat.ltb_lt; lia). discriminate.
Qed.

Lemma invariant : forall k v, lists m (listed c1) (fst v) -> snd v + cs c1 (fst v) < n ->
  (forall i, i < k -> degree m (fst (at_ i v)) <> 0) ->
  lists m (listed c1) (fst (at_ k v)) /\ snd (at_ k v) + cs c1 (fst (at_ k v)) < n /\ cs c1 (fst (at_ k v)) <= cs c1 (fst v).
Proof.
  induction k as [|k IH]; intros v L H D; [auto|]. cbn [at_].
  assert (D0 : degree m (fst v) <> 0) by (apply (D 0); lia).
  destruct (go_right v L D0) as [_ [E [_ L']]].
  destruct (IH (then_ v) L' (falls v L D0 H)) as [B1 [B2 B3]].
  { intros i Hi. apply (D (S i)). lia. }
  split; auto. split; auto. pose proof (advS_ge p (cs c1 (fst (then_ v))) (x_label (made v))). lia.
Qed.

Lemma settled_le loop j' : (forall y, In y loop -> does p (S j') (x_label y) = false) -> forall k j,
  j <= j' -> settled p k j loop <= j'.
Proof.
  intros H. induction k as [|k IH]; simpl; intros j L; auto.
  destruct ((j <? n) && existsb (fun y => does p (S j) (x_label y)) loop) eqn:E; auto.
  apply IH. destruct (Nat.eq_dec j j') as [->|]; [|lia]. exfalso.
  apply andb_true_iff in E. destruct E as [_ E]. apply existsb_exists in E. destruct E as [y [Hy E]].
  rewrite H in E; auto. discriminate.
Qed.

Definition v0 : nat * nat := (initial m, 0).

Lemma some_run : cs c1 (initial m) <> n -> exists loop k,
  (forall i, i < k -> degree m (fst (at_ i v0)) <> 0) /\
  end_ok m p loop (trail k v0) (at_ k v0) = true.
Proof.
  intros V. pose proof (a_initial _ _ _ _ A1) as L0. pose proof (a_cs_range _ _ _ _ A1 _ L0) as R0.
  assert (H0 : snd v0 + cs c1 (fst v0) < n) by (simpl; simpl in V, R0; lia).
  destruct (any (S (size m)) (fun k => degree m (fst (at_ k v0)) =? 0)) eqn:E.
  - apply any_iff in E. destruct E as [k0 [Hk0 E]].
    destruct (low_least (fun k => degree m (fst (at_ k v0)) =? 0) (S k0) 0) as [B [_ C]].
    { exists k0. split; auto. lia. }
    set (k := low (S k0) 0 (fun k => degree m (fst (at_ k v0)) =? 0)) in *.
    assert (D : forall i, i < k -> degree m (fst (at_ i v0)) <> 0).
    { intros i Hi Q. specialize (C i ltac:(lia)). rewrite Q in C. specialize (C eq_refl). lia. }
    exists None, k. split; auto. unfold end_ok. cbv zeta. rewrite B. simpl.
    destruct (invariant k v0 L0 H0 D) as [_ [I _]]. apply Nat.ltb_lt. lia.
  - assert (D : forall i, i <= size m -> degree m (fst (at_ i v0)) <> 0).
    { intros i Hi Q. rewrite <- not_true_iff_false in E. apply E. apply any_iff. exists i. split; [lia|].
      rewrite Q. auto. }
    destruct (pigeonhole (fun k => fst (at_ k v0)) (size m)) as [i [d [B C]]].
    { intros k Hk. apply (invariant k v0 L0 H0). intros q Hq. apply D. lia. }
    assert (D' : forall q, q < i + S d -> degree m (fst (at_ q v0)) <> 0) by (intros; apply D; lia).
    exists (Some i), (i + S d). split; auto. unfold end_ok. cbv zeta. rewrite skip_trail. cbn [trail].
    change (x_from (made (at_ i v0))) with (fst (at_ i v0)). rewrite C, Nat.eqb_refl. simpl.
    set (w := at_ i v0) in *. rewrite at_add in C. fold w in C. simpl in C.
    destruct (invariant (i + S d) v0 L0 H0 D') as [_ [I _]].
    destruct (invariant i v0 L0 H0) as [Lw [Hw _]]; [intros; apply D'; lia|]. fold w in Lw, Hw.
    assert (Dw : forall q, q < S d -> degree m (fst (at_ q w)) <> 0).
    { intros q Hq. unfold w. rewrite <- at_add. apply D'. lia. }
    set (v := cs c1 (fst w)) in *.
    assert (K : forall q, q <= S d -> cs c1 (fst (at_ q w)) = v).
    { intros q Hq. destruct (invariant q w Lw Hw) as [Lq [Hq' Q1]]; [intros; apply Dw; lia|].
      destruct (invariant (S d - q) (at_ q w) Lq Hq') as [_ [_ Q2]].
      { intros u Hu. rewrite <- at_add. apply Dw. lia. }
      rewrite <- at_add in Q2. replace (q + (S d - q)) with (S d) in Q2 by lia. cbn [at_] in Q2.
      rewrite <- C in Q2. fold v in Q1, Q2. lia. }
    rewrite at_add. fold w. pose proof (K (S d) ltac:(lia)) as Kd. rewrite at_add in I. fold w in I.
    rewrite Kd in I. apply Nat.ltb_lt. assert (Vn : v < n) by lia.
    enough (settled p n (snd (at_ (S d) w)) (trail (S d) w) <= n - S v) by (cbn [trail at_] in *; lia).
    apply settled_le; [|clear -I Vn; lia]. intros y Hy. apply in_trail in Hy. destruct Hy as [q [Hq ->]].
    destruct (invariant q w Lw Hw) as [Lq [Hq' _]]; [intros; apply Dw; lia|].
    destruct (go_right (at_ q w) Lq (Dw q Hq)) as [_ [Eq _]].
    rewrite (K q) in Eq by lia.
    assert (K' : cs c1 (fst (then_ (at_ q w))) = v).
    { replace (then_ (at_ q w)) with (at_ (S q) w); [apply K; lia|].
      replace (S q) with (q + 1) by lia. rewrite at_add. auto. }
    rewrite K' in Eq. unfold advS in Eq. replace (S (n - S v)) with (n - v) by lia.
    replace (v <? n) with true in Eq by (symmetry; apply Nat.ltb_lt; lia). cbn [andb] in Eq.
    destruct (does p (n - v) (x_label (made (at_ q w)))); auto. clear -Eq. lia.
Qed.

Lemma length_trail k : forall v, length (trail k v) = k.
Proof. induction k as [|k IH]; simpl; auto. Qed.

Theorem some_certificate : exists c x, how c = read /\ check m p c e x = None.
Proof.
  destruct (Nat.eq_dec (cs c1 (initial m)) n) as [V|V].
  - exists c1, x0. split; auto. apply check_accepts. split; [apply x0_indexed|]. split; [apply A1|].
    unfold checks_rest, c1. rewrite then_none. split.
    + change (neighbourhoods (full all_nears None)) with (nears (size m) 0). rewrite nears_right. auto.
    + unfold counterexample_ok. cbn [counterexample Complete.full]. apply want_none. apply negb_true_iff.
      change (violated (full all_nears None)) with (negb (cs c1 (initial m) =? n)).
      rewrite V, Nat.eqb_refl. auto.
  - destruct (some_run V) as [loop [k [D E]]].
    exists (full all_nears (Some (k, loop, trail k v0))), x0. split; auto. apply check_accepts.
    split; [apply x0_indexed|]. split; [apply full_accepted; auto|].
    unfold checks_rest. rewrite then_none. split.
    + change (neighbourhoods (full all_nears (Some (k, loop, trail k v0)))) with (nears (size m) 0).
      rewrite nears_right. auto.
    + unfold counterexample_ok.
      change (counterexample (full all_nears (Some (k, loop, trail k v0)))) with (Some (k, loop, trail k v0)).
      cbv iota beta.
      pose proof (replay_trail (Some (k, loop, trail k v0)) k 0 v0 (a_initial _ _ _ _ A1) D) as R.
      change (replay m (full all_nears (Some (k, loop, trail k v0))) x0 (initial m, 0) fst snd (Check.go m p)
        (gone p (full all_nears (Some (k, loop, trail k v0)))) 0 (initial m, 0) (trail k v0) = Came (at_ k v0)) in R.
      rewrite R, size_of_length, length_trail, Nat.add_0_r, Nat.eqb_refl.
      change (violated (full all_nears (Some (k, loop, trail k v0)))) with (negb (cs c1 (initial m) =? n)).
      apply Nat.eqb_neq in V. rewrite V. cbn [negb]. rewrite E. auto.
Qed.
End Rest.

(* A refusal is never a weakness of the checker: there is a certificate that it accepts, in
   either reading of neighbourhoods, if what leads from a state that was added does no step. *)
Theorem completeness m p read : finite m -> begin_ok m p = true -> exists c e x, how c = read /\ check m p c e x = None.
Proof. intros H B. destruct (some_certificate m p read H B) as [c [x K]]. exists c, (e0 m p), x. exact K. Qed.
