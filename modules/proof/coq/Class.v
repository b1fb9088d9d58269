(* What follows from the classes of transitions, for properties of all kinds: neighbourhoods, and
   what is said of the steps of a counterexample. *)
From Coq Require Import List Arith Lia Bool.
From InevProof Require Import Lts Chain Check Accept.
Import ListNotations.

Section Class.
Variables (m : lts) (counts : nat -> trace -> Prop) (good : trace -> Prop) (c : claims) (x : index).
Notation lists := (lists m (listed c)).
Hypothesis states : forall s, lists s <-> reachable m s.

(* A transition between listed states has one class. *)
Lemma class_unique k k' s l t : lists s -> step m s l t -> has_class m counts good k s l t -> has_class m counts good k' s l t -> k = k'.
Proof.
  intros L Ht. apply states in L. destruct L as [w R].
  assert (Some_ : has_class m counts good Neutral s l t -> admitted counts t).
  { intros [[w' [r' [_ [M' _]]]] _]. exists r'. auto. }
  destruct k, k'; auto; intros H H'; exfalso;
    try (apply H'; first [apply H|apply Some_, H]; fail); try (apply H; first [apply H'|apply Some_, H']; fail).
  - destruct H as [[r M] H]. apply (proj2 H' w r); auto.
  - destruct H as [_ H], H' as [_ [w' [r' [R' [M' N]]]]]. apply N. auto.
  - destruct H as [[r M] H]. apply (H w r); auto. apply (proj2 H'); auto.
  - destruct H as [_ H], H' as [[w' [r' [R' [M' N]]]] _]. apply (H w' r'); auto.
  - destruct H as [_ [w' [r' [R' [M' N]]]]], H' as [_ H']. apply N. auto.
  - destruct H as [[w' [r' [R' [M' N]]]] _], H' as [_ H']. apply (H' w' r'); auto.
Qed.

Hypothesis classes : forall s i, lists s -> i < degree m s ->
  has_class m counts good (class_of c s i) s (label m s i) (target m s i).

Lemma class_of_iff k s i : lists s -> i < degree m s ->
  has_class m counts good k s (label m s i) (target m s i) <-> class_of c s i = k.
Proof.
  intros L Hi. split.
  - intros H. apply (class_unique _ _ s (label m s i) (target m s i)); auto.
    apply step_edge. auto.
  - intros <-. auto.
Qed.

Hypothesis X : indexed m (listed c) x.

Lemma has_out_iff k s : lists s -> has_out m c k s = true <-> leaves m counts good k s.
Proof.
  intros L. unfold has_out, leaves. rewrite andb_true_iff, any_iff. split.
  - intros [O [i [Hi E]]]. split; auto. apply same_iff in E. exists (label m s i), (target m s i).
    split; [apply step_edge; auto|]. apply class_of_iff; auto.
  - intros [O [l [t [[i [Hi [<- <-]]] H]]]]. split; auto. exists i. split; auto. apply same_iff. apply class_of_iff; auto.
Qed.

Lemma neutral_in_iff s k : lists s -> k < indegree x s ->
  neutral_in c x s k = true <-> has_class m counts good Neutral (source x s k) (label m (source x s k) (place x s k)) s.
Proof.
  intros L Hk. destruct (i_only _ _ _ X s k L Hk) as [Lu [Hu E]]. unfold neutral_in. rewrite same_iff.
  rewrite <- (class_of_iff Neutral (source x s k) (place x s k) Lu Hu). rewrite E. tauto.
Qed.

Lemma entered_iff s : lists s -> entered_at m c x s = true <-> entered m counts good (how c) s.
Proof.
  intros L. unfold entered_at, entered. destruct (how c).
  - rewrite all_iff. split.
    + intros H u l Ru Ou Hu. apply states in Ru. destruct (entering _ _ _ u l s X Ru Hu) as [k [K [<- <-]]].
      specialize (H k K). rewrite Ou in H. apply neutral_in_iff; auto.
    + intros H k Hk. destruct (own m (source x s k)) eqn:Ou; simpl; auto. apply neutral_in_iff; auto.
      destruct (entered_by _ _ _ s k X L Hk) as [Lu Hu]. apply H; auto. apply states. auto.
  - rewrite orb_true_iff, all_iff, any_iff. split; (intros [H|H]; [left|right]).
    + intros u l Ru Ou Hu. apply states in Ru. destruct (entering _ _ _ u l s X Ru Hu) as [k [K [<- _]]].
      specialize (H k K). rewrite Ou in H. discriminate.
    + destruct H as [k [Hk H]]. apply andb_true_iff in H. destruct H as [Ou H].
      apply neutral_in_iff in H; auto. destruct (entered_by _ _ _ s k X L Hk) as [Lu Hu].
      eexists _, _. split; [apply states; exact Lu|]. eauto.
    + intros k Hk. destruct (own m (source x s k)) eqn:Ou; auto. exfalso.
      destruct (entered_by _ _ _ s k X L Hk) as [Lu Hu]. apply (H _ _ (proj1 (states _) Lu) Ou Hu).
    + destruct H as [u [l [Ru [Ou [Hu H]]]]]. apply states in Ru.
      destruct (entering _ _ _ u l s X Ru Hu) as [k [K [<- <-]]]. exists k. split; auto. rewrite Ou. apply neutral_in_iff; auto.
Qed.

Lemma kind_iff s k : lists s -> kind_at m c x s = Some k <-> neighbourhood m counts good (how c) s k.
Proof.
  intros L. unfold kind_at, neighbourhood.
  pose proof (entered_iff s L) as E. pose proof (has_out_iff Correct s L) as HC.
  pose proof (has_out_iff Incorrect s L) as HI. pose proof (has_out_iff Neutral s L) as HN.
  assert (R : reachable m s) by (apply states; auto).
  destruct (entered_at m c x s); [|split; [discriminate|]; intros [_ [H _]]; apply E in H; discriminate].
  assert (E' : entered m counts good (how c) s) by (apply E; auto).
  destruct (has_out m c Correct s), (has_out m c Incorrect s), (has_out m c Neutral s);
    (split; [intros H; inversion H; subst|intros [_ [_ H]]; destruct k; auto; exfalso]);
    intuition congruence.
Qed.

Lemma near_iff s : lists s -> near m c x s = true <-> is_near m counts good c s.
Proof.
  intros L. unfold near, is_near. split.
  - destruct (kind_at m c x s) as [k|] eqn:E; [|discriminate]. intros _. exists k. apply kind_iff; auto.
  - intros [k H]. apply kind_iff in H; auto. rewrite H. auto.
Qed.

Section Far.
Variable far : nat -> nat.
Hypothesis distances : forall s, lists s -> own m s = true -> distance m s (far s).

Lemma walk_right : forall k s xs, k + s <= size m -> walk m c x far k s xs = None ->
  forall t a d, In (t, a, d) xs <->
    s <= t < s + k /\ lists t /\ kind_at m c x t = Some a /\ d = far t.
Proof.
  induction k as [|k IH]; simpl; intros s xs B W t a d.
  - destruct xs as [|[[] ?]]; [|discriminate]. simpl. split; [tauto|lia].
  - destruct (if listed c s then kind_at m c x s else None) as [b|] eqn:E.
    + destruct (listed c s) eqn:Ls; [|discriminate].
      destruct xs as [|[[s' b'] d'] xs]; [discriminate|].
      destruct ((s =? s') && same_kind b b' && (d' =? far s)) eqn:F; [|discriminate].
      rewrite !andb_true_iff, !Nat.eqb_eq, same_kind_iff in F. destruct F as [[-> ->] ->].
      specialize (IH (S s') xs ltac:(lia) W t a d). simpl. rewrite IH. split.
      * intros [H|H].
        -- inversion H; subst. split; [lia|]. split; [split; auto; lia|]. auto.
        -- split; [lia|tauto].
      * intros [H1 [H2 [H3 H4]]]. destruct (Nat.eq_dec t s') as [->|]; [left; congruence|right].
        split; [lia|auto].
    + rewrite (IH (S s) xs ltac:(lia) W t a d). split.
      * intros [H1 H2]. split; [lia|auto].
      * intros [H1 [H2 [H3 H4]]]. split; [|auto]. destruct (Nat.eq_dec t s) as [->|]; [|lia].
        destruct H2 as [H2 _]. rewrite H2, H3 in E. discriminate.
Qed.

Theorem sound_neighbourhoods : walk m c x far (size m) 0 (neighbourhoods c) = None ->
  forall s k d, In (s, k, d) (neighbourhoods c) <-> neighbourhood m counts good (how c) s k /\ distance m s d.
Proof.
  intros W s k d. rewrite (walk_right (size m) 0 _ ltac:(lia) W).
  assert (Own : forall k, neighbourhood m counts good (how c) s k -> own m s = true).
  { intros k' [_ [_ K]]. destruct k'; destruct K as [[O _] _] || destruct K as [[O _] _]; exact O. }
  split.
  - intros [_ [L [K ->]]]. apply kind_iff in K; auto. split; auto. apply distances; auto. apply (Own k). auto.
  - intros [N [[b [w [Bw [R E]]]] D]]. assert (L : lists s) by (apply states; destruct N; auto).
    split; [destruct L; lia|]. split; auto. split; [apply kind_iff; auto|].
    destruct (distances s L (Own k N)) as [[b' [w' [Bw' [R' E']]]] D']. specialize (D b' w' Bw' R'). specialize (D' b w Bw R). lia.
Qed.
End Far.

(* The steps of a counterexample *)

Context {P : Type}.
Variables (begin : P) (state number : P -> nat) (go : P -> nat -> P) (gone : P -> bool).
Variable reckon : list (nat * nat) -> nat.
(* What the run w comes to is v. *)
Variable comes : list (nat * nat) -> P -> Prop.
Hypothesis begins : comes [] begin.
Hypothesis begins_at : state begin = initial m.
Hypothesis comes_run : forall w v, comes w v -> run m (initial m) w (state v).
Hypothesis comes_number : forall w v, comes w v -> number v = reckon w.
Hypothesis comes_gone : forall w v, comes w v -> (gone v = true <-> fated_after counts good w (state v)).
Hypothesis goes_on : forall w v i, comes w v -> i < degree m (state v) ->
  comes (w ++ [(label m (state v) i, target m (state v) i)]) (go v i) /\ state (go v i) = target m (state v) i.

Notation move_ok := (move_ok m c x begin state number go gone).
Notation replay := (replay m c x begin state number go gone).

Lemma eq_iff (a b : bool) (Q : Prop) : a = b -> (b = true <-> Q) -> (a = true <-> Q).
Proof. intros ->. auto. Qed.

Lemma move_right w v y : comes w v -> move_ok v y = true ->
  right_step m counts good c reckon w y /\ x_from y = state v /\ step m (state v) (x_label y) (x_to y) /\
  comes (w ++ [(x_label y, x_to y)]) (go v (x_out y)).
Proof.
  intros V H. assert (L : forall w v, comes w v -> lists (state v)) by (intros; apply states; eexists; eauto).
  unfold Check.move_ok in H. cbv zeta in H.
  rewrite !andb_true_iff, !eqb_true_iff, !Nat.eqb_eq, Nat.ltb_lt, same_iff in H.
  destruct H as [[[[[[[[E1 E2] E3] E4] E5] E6] E7] E8] E9].
  assert (Ht : step m (state v) (x_label y) (x_to y)) by (rewrite E3, E4; apply step_edge; auto).
  destruct (goes_on w v _ V E2) as [V' Et]. rewrite <- E3, <- E4 in V'. rewrite <- E4 in Et.
  split; [|auto]. unfold right_step. cbv zeta. rewrite E1. split; [auto|]. split; [auto|]. split; [auto|].
  split; [auto|]. split; [|split; [|split; [|split]]].
  - rewrite E5, E3, E4. apply classes; auto. exact (L _ _ V).
  - rewrite E6. exact (comes_number _ _ V').
  - apply (eq_iff _ _ _ E7). pose proof (comes_gone _ _ V') as H. rewrite Et in H. exact H.
  - apply (eq_iff _ _ _ E8). apply near_iff. exact (L _ _ V).
  - apply (eq_iff _ _ _ E9).
    pose proof (comes_gone _ _ begins) as H0. rewrite begins_at in H0.
    pose proof (comes_gone _ _ V) as H1. pose proof (comes_gone _ _ V') as H2. rewrite Et in H2.
    pose proof (near_iff (state v) (L _ _ V)) as H3. pose proof (near_iff (x_to y)) as H4.
    assert (Lt : lists (x_to y)) by (rewrite <- Et; exact (L _ _ V')). specialize (H4 Lt).
    rewrite !andb_true_iff, !orb_true_iff, andb_true_iff, !negb_true_iff, <- !not_true_iff_false.
    rewrite H0, H1, H2, H3, H4. tauto.
Qed.

Lemma replay_right xs : forall k w v v', comes w v -> replay k v xs = Came v' ->
  comes (w ++ word xs) v' /\ run m (state v) (word xs) (state v') /\
  (forall before_ y behind, xs = before_ ++ y :: behind -> right_step m counts good c reckon (w ++ word before_) y) /\
  (forall before_ y behind, xs = before_ ++ y :: behind -> run m (state v) (word before_) (x_from y)).
Proof.
  induction xs as [|y xs IH]; simpl; intros k w v v' V H.
  - inversion H; subst. rewrite app_nil_r. split; [auto|]. split; [constructor|]. split; intros [] ? ?; discriminate.
  - destruct (move_ok v y) eqn:E; [|discriminate].
    destruct (move_right w v y V E) as [Y [F [Ht V']]].
    destruct (IH (S k) _ (go v (x_out y)) v' V' H) as [B0 [B1 [B3 B4]]].
    assert (Et : state (go v (x_out y)) = x_to y).
    { destruct Y as [_ [O [_ [T _]]]]. rewrite F in O, T. rewrite T. apply (goes_on w v _ V O). }
    rewrite Et in B1, B4. rewrite <- app_assoc in B0.
    split; [exact B0|]. split; [econstructor; eauto|]. split.
    + intros [|b before_] y' behind Eq; simpl in Eq; inversion Eq; subst.
      * simpl. rewrite app_nil_r. auto.
      * specialize (B3 before_ y' behind eq_refl). simpl in B3. rewrite <- app_assoc in B3. exact B3.
    + intros [|b before_] y' behind Eq; simpl in Eq; inversion Eq; subst.
      * simpl. rewrite F. constructor.
      * simpl. econstructor; eauto.
Qed.
End Class.
