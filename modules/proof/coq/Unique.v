(* Uniqueness: what is said of states, transitions and neighbourhoods, and the evidence for it, is
   the same in all certificates that are accepted. *)
From Coq Require Import List Arith Lia Bool Wf_nat.
From InevProof Require Import Lts Chain Check Accept Class Sound.
Import ListNotations.

Section Half.
Variables (m : lts) (p : chain) (c c' : claims) (e e' : evidence).
Hypothesis A : accepted m p c e.
Hypothesis A' : accepted m p c' e'.
Notation n := (steps p).

Lemma lists_both s : lists m (listed c) s -> lists m (listed c') s.
Proof. intros L. apply (sound_states _ _ _ _ A'). apply (sound_states _ _ _ _ A). auto. Qed.

Lemma mp_le s : lists m (listed c) s -> mp c s <= mp c' s.
Proof.
  intros L. destruct (sound_mp _ _ _ _ A s L) as [[w [R <-]] _].
  apply (sound_mp _ _ _ _ A' s (lists_both s L)). auto.
Qed.

Lemma cp_le s : lists m (listed c) s -> cp c s <= cp c' s.
Proof.
  intros L. destruct (sound_cp _ _ _ _ A' s (lists_both s L)) as [[w [R <-]] _].
  apply (sound_cp _ _ _ _ A s L). auto.
Qed.

Lemma ms_le s : lists m (listed c) s -> ms c s <= ms c' s.
Proof.
  intros L. destruct (sound_ms _ _ _ _ A s L) as [N [[r [M H]] _]].
  apply (sound_ms _ _ _ _ A' s (lists_both s L)) with r; auto.
Qed.

Lemma cs_le s : lists m (listed c) s -> cs c s <= cs c' s.
Proof.
  intros L. destruct (sound_cs _ _ _ _ A s L) as [N [H _]].
  destruct (sound_cs _ _ _ _ A' s (lists_both s L)) as [_ [_ [r [M U]]]]. apply U; auto.
Qed.

Lemma first_le t j : lists m (listed c) t -> j <= mp c t -> first e' t j <= first e t j.
Proof.
  intros L J. destruct (first_run _ _ _ _ A _ t j eq_refl L J) as [w [R [<- P]]].
  apply (first_least _ _ _ _ A'); auto.
Qed.
End Half.

Section Unique.
Variables (m : lts) (p : chain) (c c' : claims) (e e' : evidence).
Hypothesis A : accepted m p c e.
Hypothesis A' : accepted m p c' e'.
Notation n := (steps p).
Notation lists := (lists m (listed c)).

Lemma listed' s : lists s -> Accept.lists m (listed c') s.
Proof. apply (lists_both _ _ _ _ _ _ A A'). Qed.
Lemma mp_same s : lists s -> mp c s = mp c' s.
Proof. intros L. apply Nat.le_antisymm; [eapply mp_le; eauto|eapply mp_le; eauto; apply listed'; auto]. Qed.
Lemma cp_same s : lists s -> cp c s = cp c' s.
Proof. intros L. apply Nat.le_antisymm; [eapply cp_le; eauto|eapply cp_le; eauto; apply listed'; auto]. Qed.
Lemma ms_same s : lists s -> ms c s = ms c' s.
Proof. intros L. apply Nat.le_antisymm; [eapply ms_le; eauto|eapply ms_le; eauto; apply listed'; auto]. Qed.
Lemma cs_same s : lists s -> cs c s = cs c' s.
Proof. intros L. apply Nat.le_antisymm; [eapply cs_le; eauto|eapply cs_le; eauto; apply listed'; auto]. Qed.
Lemma first_same t j : lists t -> j <= mp c t -> first e t j = first e' t j.
Proof.
  intros L J. apply Nat.le_antisymm.
  - eapply (first_le _ _ _ _ _ _ A' A); [apply listed'; auto|]. rewrite <- mp_same; auto.
  - eapply (first_le _ _ _ _ _ _ A A'); auto.
Qed.

Lemma class_same s i : lists s -> i < degree m s -> class_of c s i = class_of c' s i.
Proof.
  intros L Hi. rewrite (a_class _ _ _ _ A), (a_class _ _ _ _ A'); auto; [|apply listed'; auto].
  assert (Lt : lists (target m s i)) by (apply (a_entry _ _ _ _ A s (label m s i)); auto; apply step_edge; auto).
  unfold class_at. rewrite (mp_same s L), (cp_same s L), (ms_same _ Lt), (cs_same _ Lt). auto.
Qed.

Lemma least_le : forall d t, least e' t = d -> lists t -> least e t <= d.
Proof.
  induction d as [d IH] using lt_wf_ind. intros t E L. destruct (Nat.eq_dec t (initial m)) as [->|N].
  - rewrite (a_least_0 _ _ _ _ A). lia.
  - destruct (a_least_ex _ _ _ _ A' t (listed' t L) N) as [s [l [Ls [Hs [B E']]]]].
    assert (L' : lists s) by (apply (lists_both _ _ _ _ _ _ A' A); auto).
    specialize (IH (least e' s) ltac:(lia) s eq_refl L').
    rewrite <- (cp_same s L'), <- (cp_same t L) in B.
    pose proof (a_least_le _ _ _ _ A s l t L' Hs N B). lia.
Qed.

Lemma next_le : forall d s v, next_ e' s v = d -> lists s -> v <= ms c s -> next_ e s v <= d.
Proof.
  induction d as [d IH] using lt_wf_ind. intros s v E L V. destruct v as [|v]; [simpl; lia|].
  destruct (a_next_ex _ _ _ _ A' s (S v) (listed' s L) ltac:(lia)) as [l [t [Ht [B E']]]].
  { rewrite <- ms_same; auto. }
  assert (Lt : lists t) by (apply (a_entry _ _ _ _ A s l t); auto). rewrite <- (ms_same t Lt) in B.
  simpl in E |- *. pose proof (IH (next_ e' t (rest p (S v) l)) ltac:(lia) t _ eq_refl Lt B).
  pose proof (a_next_le _ _ _ _ A s l t (S v) L Ht ltac:(lia) V B). lia.
Qed.

Lemma cs_onward s l t v : lists s -> step m s l t -> 0 < v -> v <= cs c s ->
  does p (S (n - v)) l = false -> v <= cs c t.
Proof.
  intros L Ht V W D. pose proof (a_cs_le _ _ _ _ A s l t L Ht) as H. pose proof (a_cs_range _ _ _ _ A s L).
  unfold advS in H. destruct ((cs c t <? n) && does p (n - cs c t) l) eqn:F; [|lia].
  apply andb_true_iff in F. destruct F as [F1 F2]. apply Nat.ltb_lt in F1.
  destruct (Nat.eq_dec (S (cs c t)) v) as [Ev|]; [|lia].
  replace (n - cs c t) with (S (n - v)) in F2 by lia. congruence.
Qed.

Lemma due_le : forall d s v, due e s v = d -> lists s -> 0 < v -> v <= cs c s -> d <= due e' s v.
Proof.
  induction d as [d IH] using lt_wf_ind. intros s v E L V W.
  assert (W' : v <= cs c' s) by (rewrite <- cs_same; auto).
  destruct (a_due_ex _ _ _ _ A s v L V W) as [D|[l [t [Ht [F D]]]]].
  - pose proof (a_due_pos _ _ _ _ A' s v (listed' s L) V W'). lia.
  - assert (Lt : lists t) by (apply (a_entry _ _ _ _ A s l t); auto).
    pose proof (IH (due e t v) ltac:(lia) t v eq_refl Lt V (cs_onward s l t v L Ht V W F)).
    pose proof (a_due_le _ _ _ _ A' s l t v (listed' s L) Ht V W' F). lia.
Qed.
End Unique.

Lemma sum_same f g : forall k acc, (forall s, s < k -> f s = g s) -> sum k f acc = sum k g acc.
Proof.
  induction k as [|k IH]; simpl; auto. intros acc H. rewrite (H k) by lia. apply IH. intros. apply H. lia.
Qed.

Theorem uniqueness m p c e x c' e' x' :
  check m p c e x = None -> check m p c' e' x' = None ->
  violated c = violated c' /\ (forall k, count c k = count c' k) /\
  (how c = how c' -> neighbourhoods c = neighbourhoods c') /\
  forall s, reachable m s ->
    mp c s = mp c' s /\ cp c s = cp c' s /\ ms c s = ms c' s /\ cs c s = cs c' s /\
    (forall i, i < degree m s -> class_of c s i = class_of c' s i) /\
    least e s = least e' s /\
    (forall j, j <= mp c s -> first e s j = first e' s j) /\
    (forall v, 0 < v -> v <= ms c s -> next e s v = next e' s v) /\
    (forall v, 0 < v -> v <= cs c s -> due e s v = due e' s v).
Proof.
  intros H H'. apply check_accepts in H, H'. destruct H as [X [A R]], H' as [X' [A' R']].
  assert (L0 : forall s, lists m (listed c) s <-> reachable m s) by apply (sound_states _ _ _ _ A).
  assert (L1 : forall s, lists m (listed c') s <-> reachable m s) by apply (sound_states _ _ _ _ A').
  assert (LL : forall s, s < size m -> listed c s = listed c' s).
  { intros s Hs. assert (B : listed c s = true <-> listed c' s = true).
    { split; intros E; [apply (proj2 (L1 s)), L0|apply (proj2 (L0 s)), L1]; split; auto. }
    destruct (listed c s), (listed c' s); auto; [symmetry|]; apply B; auto. }
  split; [|split; [|split]].
  - rewrite (a_verdict _ _ _ _ A), (a_verdict _ _ _ _ A').
    rewrite (cs_same _ _ _ _ _ _ A A'); auto. apply (a_initial _ _ _ _ A).
  - intros k. rewrite (a_count _ _ _ _ A), (a_count _ _ _ _ A'). unfold members. apply sum_same.
    intros s Hs. rewrite <- (LL s Hs). destruct (listed c s) eqn:E; auto. simpl. destruct (own m s); auto. apply sum_same.
    intros i Hi. rewrite (class_same _ _ _ _ _ _ A A' s i); auto. split; auto.
  - intros Hh. unfold checks_rest in R, R'. apply then_none in R, R'. destruct R as [W _], R' as [W' _].
    destruct (walk m c x (fun s => first e s 0 - ahead m) _ _ _) eqn:F; [discriminate|]. destruct (walk m c' x' (fun s => first e' s 0 - ahead m) _ _ _) eqn:F'; [discriminate|].
    assert (K : forall s, lists m (listed c) s -> kind_at m c x s = kind_at m c' x' s).
    { intros s L. pose proof (listed' _ _ _ _ _ _ A A' s L) as L'.
      destruct (kind_at m c x s) as [k|] eqn:E.
      - apply (kind_iff m (maximal m) (satisfies p) c x (sound_states _ _ _ _ A) (class_of_right _ _ _ _ A) X s k L) in E. rewrite Hh in E.
        apply (kind_iff m (maximal m) (satisfies p) c' x' (sound_states _ _ _ _ A') (class_of_right _ _ _ _ A') X' s k L') in E. auto.
      - destruct (kind_at m c' x' s) as [k|] eqn:E'; auto.
        apply (kind_iff m (maximal m) (satisfies p) c' x' (sound_states _ _ _ _ A') (class_of_right _ _ _ _ A') X' s k L') in E'. rewrite <- Hh in E'.
        apply (kind_iff m (maximal m) (satisfies p) c x (sound_states _ _ _ _ A) (class_of_right _ _ _ _ A) X s k L) in E'. congruence. }
    enough (G : forall k s xs ys, k + s <= size m ->
      walk m c x (fun s => first e s 0 - ahead m) k s xs = None -> walk m c' x' (fun s => first e' s 0 - ahead m) k s ys = None -> xs = ys).
    { apply (G (size m) 0); auto. lia. }
    clear W W' F F'.
    induction k as [|k IH]; simpl; intros s xs ys B F F'.
    + destruct xs as [|[[] ?]], ys as [|[[] ?]]; auto; discriminate.
    + rewrite <- (LL s) in F' by lia. destruct (listed c s) eqn:Es; [|apply (IH (S s)); auto; lia].
      assert (L : lists m (listed c) s) by (split; auto; lia). rewrite <- (K s L) in F'.
      destruct (kind_at m c x s) as [a|]; [|apply (IH (S s)); auto; lia].
      destruct xs as [|[[s1 b1] d1] xs], ys as [|[[s2 b2] d2] ys]; try discriminate.
      destruct ((s =? s1) && same_kind a b1 && (d1 =? first e s 0 - ahead m)) eqn:E1; [|discriminate].
      destruct ((s =? s2) && same_kind a b2 && (d2 =? first e' s 0 - ahead m)) eqn:E2; [|discriminate].
      rewrite !andb_true_iff, !Nat.eqb_eq, same_kind_iff in E1, E2.
      destruct E1 as [[-> ->] ->], E2 as [[-> ->] ->].
      rewrite (first_same _ _ _ _ _ _ A A' s2 0 L) by lia. f_equal. apply (IH (S s2)); auto. lia.
  - intros s Hs. apply L0 in Hs. pose proof (listed' _ _ _ _ _ _ A A' s Hs) as Hs'.
    repeat split.
    + apply (mp_same _ _ _ _ _ _ A A'); auto.
    + apply (cp_same _ _ _ _ _ _ A A'); auto.
    + apply (ms_same _ _ _ _ _ _ A A'); auto.
    + apply (cs_same _ _ _ _ _ _ A A'); auto.
    + intros. apply (class_same _ _ _ _ _ _ A A'); auto.
    + apply Nat.le_antisymm; [apply (least_le _ _ _ _ _ _ A A' _ s eq_refl Hs)|apply (least_le _ _ _ _ _ _ A' A _ s eq_refl Hs')].
    + intros. apply (first_same _ _ _ _ _ _ A A'); auto.
    + intros [|v] V W; [lia|]. apply Nat.le_antisymm.
      * apply (next_le _ _ _ _ _ _ A A' _ s (S v) eq_refl Hs W).
      * apply (next_le _ _ _ _ _ _ A' A _ s (S v) eq_refl Hs'). rewrite <- (ms_same _ _ _ _ _ _ A A'); auto.
    + intros v V W. apply Nat.le_antisymm.
      * apply (due_le _ _ _ _ _ _ A A' _ s v eq_refl Hs V W).
      * apply (due_le _ _ _ _ _ _ A' A _ s v eq_refl Hs' V). rewrite <- (cs_same _ _ _ _ _ _ A A'); auto.
Qed.

(* True claims are the same, of any runs that count, whatever is the evidence for them. *)
Lemma same_members m c c' (good : nat -> Prop) k :
  (forall s, listed c s = true /\ s < size m <-> good s) -> (forall s, listed c' s = true /\ s < size m <-> good s) ->
  (forall s i, good s -> i < degree m s -> class_of c s i = class_of c' s i) -> members m c k 0 = members m c' k 0.
Proof.
  intros L L' C. unfold members. apply sum_same. intros s Hs.
  assert (B : listed c s = true <-> listed c' s = true).
  { split; intros E; [apply (proj2 (L' s)), L|apply (proj2 (L s)), L']; split; auto. }
  destruct (listed c s) eqn:E; destruct (listed c' s) eqn:E'; auto.
  - simpl. destruct (own m s); auto. apply sum_same. intros i Hi. rewrite (C s i); auto. apply L. auto.
  - destruct B as [B _]. specialize (B eq_refl). discriminate.
  - destruct B as [_ B]. specialize (B eq_refl). discriminate.
Qed.

Theorem claims_uniqueness m p counts c c' trap trap' :
  true_claims m p counts c trap -> true_claims m p counts c' trap' ->
  violated c = violated c' /\ (forall k, count c k = count c' k) /\
  (how c = how c' -> forall y, In y (neighbourhoods c) <-> In y (neighbourhoods c')) /\
  forall s, reachable m s ->
    mp c s = mp c' s /\ cp c s = cp c' s /\ (admitted counts s -> ms c s = ms c' s /\ cs c s = cs c' s) /\
    forall i, i < degree m s -> class_of c s i = class_of c' s i.
Proof.
  intros T T'.
  assert (Cl : forall s i, reachable m s -> i < degree m s -> class_of c s i = class_of c' s i).
  { intros s i R Hi. apply (class_unique m counts (satisfies p) c (right_states _ _ _ _ _ T) _ _ s (label m s i) (target m s i)).
    - apply (right_states _ _ _ _ _ T). auto.
    - apply step_edge. auto.
    - apply (right_class _ _ _ _ _ T); auto.
    - apply (right_class _ _ _ _ _ T'); auto. }
  split; [|split; [|split]].
  - pose proof (right_verdict _ _ _ _ _ T) as V. pose proof (right_verdict _ _ _ _ _ T') as V'.
    destruct (violated c), (violated c'); auto; exfalso.
    + destruct V as [b [r [B [M N]]]]. apply N. apply (V' b r B M).
    + destruct V' as [b [r [B [M N]]]]. apply N. apply (V b r B M).
  - intros k. rewrite (right_count _ _ _ _ _ T), (right_count _ _ _ _ _ T').
    apply (same_members m c c' (reachable m)); auto; [apply (right_states _ _ _ _ _ T)|apply (right_states _ _ _ _ _ T')].
  - intros H [[s k] d]. rewrite (right_neighbourhoods _ _ _ _ _ T), (right_neighbourhoods _ _ _ _ _ T'), H. tauto.
  - intros s R. split; [|split; [|split; [|auto]]].
    + destruct (right_mp _ _ _ _ _ T s R) as [[w [W E]] B]. destruct (right_mp _ _ _ _ _ T' s R) as [[w' [W' E']] B'].
      specialize (B w' W'). specialize (B' w W). lia.
    + destruct (right_cp _ _ _ _ _ T s R) as [[w [W E]] B]. destruct (right_cp _ _ _ _ _ T' s R) as [[w' [W' E']] B'].
      specialize (B w' W'). specialize (B' w W). lia.
    + intros A. split.
      * destruct (right_ms _ _ _ _ _ T s R A) as [N [[r [M H]] B]]. destruct (right_ms _ _ _ _ _ T' s R A) as [N' [[r' [M' H']] B']].
        specialize (B r' _ N' M' H'). specialize (B' r _ N M H). lia.
      * destruct (right_cs _ _ _ _ _ T s R A) as [N [H [r [M B]]]]. destruct (right_cs _ _ _ _ _ T' s R A) as [N' [H' [r' [M' B']]]].
        specialize (B _ N' (H' r M)). specialize (B' _ N (H r' M')). lia.
Qed.
