(* Soundness: where the checker finds no mistake, all claims are true. *)
From Coq Require Import List Arith Lia Bool Wf_nat.
From InevProof Require Import Lts Chain Check Accept Class.
Import ListNotations.

Section Prefixes.
Variables (m : lts) (p : chain) (c : claims) (e : evidence).
Hypothesis A : prefixed m p c e.
Notation n := (steps p).
Notation lists := (lists m (listed c)).

(* Listed states, and mp *)

Lemma listed_run s w t : lists s -> run m s w t -> lists t.
Proof. intros H R. induction R; auto. apply IHR. apply (a_entry _ _ _ _ A s l t); auto. Qed.

Lemma reached s : reachable m s -> lists s.
Proof. intros [w H]. apply (listed_run (initial m) w); auto. apply (a_initial _ _ _ _ A). Qed.

Lemma mp_bound s w t j : lists s -> run m s w t -> j <= mp c s -> progress p j w <= mp c t.
Proof.
  intros H R. revert j H. induction R as [|s l t w u Ht R IH]; simpl; intros j H Hj; auto.
  destruct (a_entry _ _ _ _ A s l t H Ht) as [Lt [B _]]. apply IH; auto.
  pose proof (adv_mono p j (mp c s) l Hj). lia.
Qed.

(* A run to t with progress at least j, of this length. *)
Lemma before_adv j l i : j <= n -> before p j l <= i -> j <= adv p i l.
Proof.
  unfold before. destruct j as [|j]; [lia|]. intros Hn H. pose proof (adv_ge p i l).
  destruct (does p (S j) l) eqn:D; [|lia].
  destruct (Nat.eq_dec i j) as [->|]; [|lia]. unfold adv.
  replace (j <? n) with true by (symmetry; apply Nat.ltb_lt; lia). rewrite D. simpl. lia.
Qed.

Lemma first_run : forall d t j, first e t j = d -> lists t -> j <= mp c t ->
  exists w, run m (initial m) w t /\ length w = d /\ j <= progress p 0 w.
Proof.
  induction d as [d IH] using lt_wf_ind. intros t j E Lt Hj.
  destruct (Nat.eq_dec t (initial m)) as [->|N]; [destruct (Nat.eq_dec j 0) as [->|N]|].
  - exists []. rewrite (a_first_0 _ _ _ _ A) in E. subst. repeat split; auto. constructor.
  - destruct (a_first_ex _ _ _ _ A (initial m) j Lt Hj (or_intror N)) as [s [l [Ls [Hs [B E']]]]].
    destruct (IH (first e s (before p j l)) ltac:(lia) s _ eq_refl Ls B) as [w [R [L P]]].
    exists (w ++ [(l, initial m)]). split; [|split].
    + eapply run_app; eauto. apply run_one. auto.
    + rewrite app_length. simpl. lia.
    + rewrite progress_app. simpl. apply before_adv; auto. pose proof (a_range _ _ _ _ A _ Lt). lia.
  - destruct (a_first_ex _ _ _ _ A t j Lt Hj (or_introl N)) as [s [l [Ls [Hs [B E']]]]].
    destruct (IH (first e s (before p j l)) ltac:(lia) s _ eq_refl Ls B) as [w [R [L P]]].
    exists (w ++ [(l, t)]). split; [|split].
    + eapply run_app; eauto. apply run_one. auto.
    + rewrite app_length. simpl. lia.
    + rewrite progress_app. simpl. apply before_adv; auto. pose proof (a_range _ _ _ _ A _ Lt). lia.
Qed.

Lemma adv_before j l i : j <= adv p i l -> before p j l <= i.
Proof.
  unfold before, adv. destruct j as [|j]; [lia|]. destruct ((i <? n) && does p (S i) l) eqn:D; intros H.
  - destruct (Nat.eq_dec i j) as [->|]; [apply andb_true_iff in D; destruct D as [_ ->]; lia|].
    destruct (does p (S j) l); lia.
  - destruct (does p (S j) l); lia.
Qed.

(* first is the length of a shortest such run. *)
Lemma first_least w : forall t j, run m (initial m) w t -> j <= progress p 0 w -> first e t j <= length w.
Proof.
  remember (length w) as d eqn:Ed. revert w Ed. induction d as [|d IH]; intros w Ed t j R P.
  - destruct w; [|discriminate]. inversion R; subst. simpl in P. replace j with 0 by lia.
    rewrite (a_first_0 _ _ _ _ A). auto.
  - destruct (run_snoc _ _ _ _ R) as [[-> _]|[w' [l [s [-> [R' Hs]]]]]]; [discriminate|].
    rewrite app_length in Ed. simpl in Ed. rewrite progress_app in P. simpl in P.
    destruct (Nat.eq_dec t (initial m)) as [->|N]; [destruct (Nat.eq_dec j 0) as [->|N]|].
    + rewrite (a_first_0 _ _ _ _ A). lia.
    + assert (Ls : lists s) by (apply reached; exists w'; auto).
      specialize (IH w' ltac:(lia) s _ R' (adv_before _ _ _ P)).
      pose proof (adv_before _ _ _ P) as Q.
      pose proof (mp_bound _ _ _ 0 (a_initial _ _ _ _ A) R ltac:(lia)) as M.
      rewrite progress_app in M. simpl in M.
      pose proof (mp_bound _ _ _ 0 (a_initial _ _ _ _ A) R' ltac:(lia)) as M'.
      pose proof (a_first_le _ _ _ _ A s l (initial m) j Ls Hs ltac:(lia) (or_intror N) ltac:(lia)). lia.
    + assert (Ls : lists s) by (apply reached; exists w'; auto).
      specialize (IH w' ltac:(lia) s _ R' (adv_before _ _ _ P)).
      pose proof (adv_before _ _ _ P) as Q.
      pose proof (mp_bound _ _ _ 0 (a_initial _ _ _ _ A) R ltac:(lia)) as M.
      rewrite progress_app in M. simpl in M.
      pose proof (mp_bound _ _ _ 0 (a_initial _ _ _ _ A) R' ltac:(lia)) as M'.
      pose proof (a_first_le _ _ _ _ A s l t j Ls Hs ltac:(lia) (or_introl N) ltac:(lia)). lia.
Qed.

Theorem sound_states s : lists s <-> reachable m s.
Proof.
  split; [|apply reached]. intros Ls. destruct (first_run _ s 0 eq_refl Ls) as [w [R _]]; [lia|]. exists w. auto.
Qed.

Theorem sound_mp s : lists s -> max_prefix m p s (mp c s).
Proof.
  intros Ls. assert (B : forall w, run m (initial m) w s -> progress p 0 w <= mp c s).
  { intros w R. apply (mp_bound _ _ _ 0 (a_initial _ _ _ _ A) R). lia. }
  split; auto. destruct (first_run _ s (mp c s) eq_refl Ls) as [w [R [_ P]]]; auto.
  exists w. split; auto. specialize (B w R). lia.
Qed.

Theorem sound_distance s : lists s -> own m s = true -> distance m s (first e s 0 - ahead m).
Proof.
  intros Ls O. apply distance_right; auto.
  - destruct (first_run _ s 0 eq_refl Ls) as [w [R [L _]]]; [lia|]. exists w. auto.
  - intros w R. apply first_least; auto. lia.
Qed.

(* cp *)

Lemma cp_bound s w t j : lists s -> run m s w t -> cp c s <= j -> cp c t <= progress p j w.
Proof.
  intros H R. revert j H. induction R as [|s l t w u Ht R IH]; simpl; intros j H Hj; auto.
  destruct (a_entry _ _ _ _ A s l t H Ht) as [Lt [_ B]]. apply IH; auto.
  pose proof (adv_mono p (cp c s) j l Hj). lia.
Qed.

Lemma least_run : forall d t, least e t = d -> lists t ->
  exists w, run m (initial m) w t /\ progress p 0 w = cp c t.
Proof.
  induction d as [d IH] using lt_wf_ind. intros t E Lt. destruct (Nat.eq_dec t (initial m)) as [->|N].
  - exists []. rewrite (a_cp_0 _ _ _ _ A). split; auto. constructor.
  - destruct (a_least_ex _ _ _ _ A t Lt N) as [s [l [Ls [Hs [B E']]]]].
    destruct (IH (least e s) ltac:(lia) s eq_refl Ls) as [w [R P]]. exists (w ++ [(l, t)]). split.
    + eapply run_app; eauto. apply run_one. auto.
    + rewrite progress_app. simpl. rewrite P. auto.
Qed.

Theorem sound_cp s : lists s -> common_prefix m p s (cp c s).
Proof.
  intros Ls. split; [apply (least_run _ s eq_refl Ls)|]. intros w R.
  apply (cp_bound _ _ _ 0 (a_initial _ _ _ _ A) R). rewrite (a_cp_0 _ _ _ _ A). lia.
Qed.

End Prefixes.

Section Rounds.
Variables (m : lts) (p : chain).
Notation n := (steps p).

(* Going round a loop for ever *)

Lemma rounds_eq loop w : rounds loop w =
  match w with
  | (l, t) :: w' => Move l t (rounds loop w')
  | [] => match loop with [] => Stop | (l, t) :: w' => Move l t (rounds loop w') end
  end.
Proof. rewrite (unfold_eq (rounds loop w)) at 1. simpl. destruct w as [|[]]; auto. destruct loop as [|[]]; auto. Qed.

Lemma rounds_nil loop : rounds loop [] = rounds loop loop.
Proof. rewrite (rounds_eq loop []), (rounds_eq loop loop). destruct loop as [|[]]; auto. Qed.

Lemma rounds_after loop w : rounds loop w = after w (rounds loop []).
Proof. induction w as [|[l t] w IH]; auto. rewrite rounds_eq. simpl. rewrite IH. auto. Qed.

Lemma rounds_maximal loop u : loop <> [] -> run m u loop u -> forall w s, run m s w u -> maximal m s (rounds loop w).
Proof.
  intros N RL. destruct loop as [|[l0 t0] loop]; [contradiction|].
  assert (R0 : step m u l0 t0 /\ run m t0 loop u) by (inversion RL; auto). destruct R0 as [S0 R0].
  assert (I : forall s w, run m s w u -> (w = [] /\ s = u) \/
    exists l t w', w = (l, t) :: w' /\ step m s l t /\ run m t w' u).
  { intros s w R. inversion R; subst; [left|right]; eauto 8. }
  cofix IH. intros w s R. rewrite rounds_eq. destruct (I s w R) as [[-> ->]|[l [t [w' [-> [Ht R']]]]]].
  - constructor; [exact S0|]. apply IH. exact R0.
  - constructor; [exact Ht|]. apply IH. exact R'.
Qed.

Lemma rounds_stuck loop j : j < n -> (forall y, In y loop -> does p (S j) (fst y) = false) ->
  forall r i, contains p i r -> i <= j -> forall w, incl w loop -> r = rounds loop w -> False.
Proof.
  intros J D r i H. induction H as [i r H|i l t r H _ IH|i l t r _ IH]; intros I w W E.
  - lia.
  - rewrite rounds_eq in E. destruct w as [|[l' t'] w].
    + destruct loop as [|[l' t'] loop']; inversion E; subst.
      destruct (Nat.eq_dec i j) as [->|].
      * specialize (D (l', t') (or_introl eq_refl)). simpl in D. congruence.
      * apply (IH ltac:(lia) loop'); auto. intros y Hy. right. auto.
    + inversion E; subst. destruct (Nat.eq_dec i j) as [->|].
      * specialize (D (l', t') (W _ (or_introl eq_refl))). simpl in D. congruence.
      * apply (IH ltac:(lia) w); auto. intros y Hy. apply W. right. auto.
  - rewrite rounds_eq in E. destruct w as [|[l' t'] w].
    + destruct loop as [|[l' t'] loop']; inversion E; subst.
      apply (IH I loop'); auto. intros y Hy. right. auto.
    + inversion E; subst. apply (IH I w); auto. intros y Hy. apply W. right. auto.
Qed.

Lemma settled_right loop : forall k j, settled p k j loop < n -> n <= k + j ->
  exists j', j <= j' /\ j' < n /\ forall y, In y (word loop) -> does p (S j') (fst y) = false.
Proof.
  induction k as [|k IH]; simpl; intros j H K; [lia|].
  destruct (j <? n) eqn:E1; simpl in H; [|apply Nat.ltb_ge in E1; lia].
  destruct (existsb _ loop) eqn:E2.
  - destruct (IH (S j) H ltac:(lia)) as [j' [B C]]. exists j'. split; [lia|auto].
  - apply Nat.ltb_lt in E1. exists j. split; auto. split; auto. intros y Hy. unfold word in Hy.
    apply in_map_iff in Hy. destruct Hy as [z [<- Hz]]. simpl.
    destruct (does p (S j) (x_label z)) eqn:D; auto. rewrite <- E2. symmetry. apply existsb_exists. eauto.
Qed.

Lemma skipn_nth B (xs : list B) k y r : skipn k xs = y :: r -> xs = firstn k xs ++ y :: r /\ k < length xs.
Proof.
  intros H. split.
  - rewrite <- (firstn_skipn k xs) at 1. rewrite H. auto.
  - destruct (Nat.lt_ge_cases k (length xs)); auto. rewrite skipn_all2 in H; [discriminate|auto].
Qed.

(* A run to s that goes round from its place k for ever, if that makes all the progress it can *)
Lemma lasso_violates xs k y r s j :
  run m (initial m) (word xs) s -> progress p 0 (word xs) = j ->
  (forall before_ z behind, xs = before_ ++ z :: behind -> run m (initial m) (word before_) (x_from z)) ->
  skipn k xs = y :: r -> x_from y = s -> settled p n j (y :: r) < n ->
  run m (initial m) (word (firstn k xs)) s /\ run m s (word (y :: r)) s /\
  trace_of (Some k) xs = after (word (firstn k xs)) (rounds (word (y :: r)) []) /\
  ~ satisfies p (trace_of (Some k) xs).
Proof.
  intros R P F Ek F' S. unfold trace_of. rewrite Ek.
  destruct (skipn_nth _ xs k y r Ek) as [Es _].
  pose proof (F _ _ _ Es) as R1. rewrite F' in R1.
  assert (W : word xs = word (firstn k xs) ++ word (y :: r)).
  { unfold word. rewrite <- map_app. rewrite <- Es. auto. }
  rewrite W in R, P. destruct (run_split _ _ _ _ _ R) as [s1 [R2 R3]].
  assert (s1 = s). { clear -R1 R2. revert R1 R2. generalize (initial m) as a. generalize (word (firstn k xs)) as w.
    induction w as [|[l t] w IH]; intros a R1 R2; inversion R1; inversion R2; subst; auto. eapply IH; eauto. }
  subst s1. split; [auto|]. split; [auto|]. split; [auto|].
  intros Sat. unfold satisfies in Sat. rewrite rounds_nil, rounds_after in Sat.
  rewrite <- after_app in Sat. apply contains_after in Sat. rewrite P in Sat.
  destruct (settled_right (y :: r) n j S ltac:(lia)) as [j' [J1 [J2 J3]]].
  apply (rounds_stuck (word (y :: r)) j' J2 J3 _ _ Sat J1 []); auto. intros z [].
Qed.

Lemma satisfies_split w l t r v : progress p 0 w = v ->
  (satisfies p (after w (Move l t r)) <-> contains p (adv p v l) r).
Proof. intros <-. unfold satisfies. rewrite contains_after. apply contains_move. Qed.
End Rounds.

(* What follows from the four numbers of each state, for any traces that count *)
Section Counted.
Variables (m : lts) (p : chain) (c : claims) (e : evidence) (x : index) (counts : nat -> trace -> Prop).
Variable adm : nat -> bool.
Notation n := (steps p).
Notation lists := (lists m (listed c)).
Hypothesis A : prefixed m p c e.
Hypothesis X : indexed m (listed c) x.
Hypothesis adm_iff : forall s, lists s -> (adm s = true <-> admitted counts s).
Hypothesis max_right : forall s, lists s -> admitted counts s -> max_suffix counts p s (ms c s).
Hypothesis common_right : forall s, lists s -> admitted counts s -> common_suffix counts p s (cs c s).

(* Theorem 1: the class of a transition *)

Theorem counted_class s i : lists s -> i < degree m s ->
  has_class m counts (satisfies p) (if adm (target m s i) then class_at m p c s i else Excluded) s (label m s i) (target m s i).
Proof.
  intros L Hi. set (l := label m s i). set (t := target m s i).
  assert (Ht : step m s l t) by (apply step_edge; auto).
  destruct (a_entry _ _ _ _ A s l t L Ht) as [Lt _].
  destruct (adm t) eqn:At; [|intros N; apply adm_iff in N; auto; congruence].
  apply adm_iff in At; auto.
  destruct (sound_mp _ _ _ _ A s L) as [[wm [Rm Pm]] Bm]. destruct (sound_cp _ _ _ _ A s L) as [[wc [Rc Pc]] Bc].
  destruct (max_right t Lt At) as [Nm [[rm [Mm Sm]] Um]]. destruct (common_right t Lt At) as [Nc [Ac [rc [Mc Uc]]]].
  unfold class_at. fold l t.
  assert (Hc : adv p (cp c s) l <= n) by (apply adv_le; rewrite <- Pc; apply progress_le; lia).
  assert (Hm : adv p (mp c s) l <= n) by (apply adv_le; rewrite <- Pm; apply progress_le; lia).
  destruct (Nat.leb_spec n (adv p (cp c s) l + cs c t)) as [H|H]; [|destruct (Nat.ltb_spec (adv p (mp c s) l + ms c t) n) as [H'|H']].
  - split; [exact At|]. intros w r R M. apply (satisfies_split p w l t r _ eq_refl).
    pose proof (adv_mono p _ _ l (Bc w R)).
    apply contains_le with (n - cs c t); [lia|]. apply Ac. auto.
  - split; [exact At|]. intros w r R M S. apply (satisfies_split p w l t r _ eq_refl) in S.
    pose proof (adv_mono p _ _ l (Bm w R)) as Q.
    assert (B : n - adv p (progress p 0 w) l <= ms c t).
    { apply (Um r); auto; [lia|]. unfold has_suffix.
      replace (n - (n - adv p (progress p 0 w) l)) with (adv p (progress p 0 w) l) by lia. auto. }
    lia.
  - split.
    + exists wm, rm. repeat split; auto. apply (satisfies_split p wm l t rm _ Pm).
      apply contains_le with (n - ms c t); [lia|]. auto.
    + exists wc, rc. repeat split; auto. intros S. apply (satisfies_split p wc l t rc _ Pc) in S.
      assert (B : n - adv p (cp c s) l <= cs c t).
      { apply Uc; [lia|]. unfold has_suffix.
        replace (n - (n - adv p (cp c s) l)) with (adv p (cp c s) l) by lia. auto. }
      lia.
Qed.

(* Verdict and fate *)

Hypothesis begin_right : begin_ok m p = true.
Hypothesis counts_stop : forall s, counts s Stop -> deadlock m s.
Hypothesis counts_tail : forall s l t r, counts s (Move l t r) -> step m s l t /\ counts t r.
Hypothesis counts_cons : forall s l t r, step m s l t -> counts t r -> counts s (Move l t r).
Hypothesis starts : admitted counts (initial m).
Hypothesis verdict : violated c = negb (cs c (initial m) =? n).

Lemma counted_begin : added m = true -> forall l t i, step m (initial m) l t -> i <= n -> does p i l = false.
Proof.
  intros Ad l t i [k [Hk [<- _]]] Hi. unfold begin_ok in begin_right. rewrite Ad in begin_right. simpl in begin_right.
  apply andb_true_iff in begin_right. destruct begin_right as [_ B]. rewrite all_iff in B. specialize (B k Hk).
  rewrite all_iff in B. specialize (B i ltac:(lia)). apply negb_true_iff in B. exact B.
Qed.

(* A trace from the initial state satisfies the property iff what follows in a state where runs begin does. *)
Lemma counted_from r : counts (initial m) r -> exists b r', begins m b /\ counts b r' /\ (satisfies p r <-> satisfies p r').
Proof.
  intros C. unfold begins. destruct (added m) eqn:Ad; [|exists (initial m), r; tauto].
  destruct r as [|l t r].
  - exfalso. apply counts_stop in C. unfold begin_ok in begin_right. rewrite Ad in begin_right. simpl in begin_right.
    unfold deadlock in C. rewrite C in begin_right. discriminate.
  - destruct (counts_tail _ _ _ _ C) as [St C']. exists t, r. split; [eauto|]. split; auto. unfold satisfies. rewrite contains_move.
    unfold adv. destruct (0 <? n) eqn:N; [|tauto]. apply Nat.ltb_lt in N. rewrite (counted_begin Ad l t 1 St) by lia. tauto.
Qed.

Lemma counted_to b r : begins m b -> counts b r -> exists r', counts (initial m) r' /\ (satisfies p r' <-> satisfies p r).
Proof.
  unfold begins. destruct (added m) eqn:Ad; [|intros -> C; exists r; tauto]. intros [l St] C. exists (Move l b r).
  split; [apply counts_cons; auto|]. unfold satisfies. rewrite contains_move.
  unfold adv. destruct (0 <? n) eqn:N; [|tauto]. apply Nat.ltb_lt in N. rewrite (counted_begin Ad l b 1 St) by lia. tauto.
Qed.

Theorem counted_verdict : if violated c then exists b r, begins m b /\ counts b r /\ ~ satisfies p r
  else forall b r, begins m b -> counts b r -> satisfies p r.
Proof.
  destruct (common_right _ (a_initial _ _ _ _ A) starts) as [N [H [r [M U]]]].
  rewrite verdict. destruct (Nat.eqb_spec (cs c (initial m)) n) as [E|E]; simpl.
  - intros b r' B M'. destruct (counted_to b r' B M') as [q [Q S]]. apply S.
    specialize (H q Q). unfold has_suffix in H. rewrite E, Nat.sub_diag in H. exact H.
  - destruct (counted_from r M) as [b [r' [B [M' S]]]]. exists b, r'. split; auto. split; auto.
    intros K. apply S in K. specialize (U n ltac:(lia)). unfold has_suffix in U.
    rewrite Nat.sub_diag in U. specialize (U K). lia.
Qed.

Lemma counted_lost w s : lists s -> admitted counts s ->
  (lost p c s (progress p 0 w) = true <-> fated_after counts (satisfies p) w s).
Proof.
  intros L At. destruct (max_right s L At) as [N [[r [M H]] U]]. unfold lost, fated_after, satisfies.
  pose proof (progress_le p w 0 ltac:(lia)) as Q. rewrite Nat.ltb_lt. split.
  - intros F r' M' S. apply contains_after in S.
    enough (n - progress p 0 w <= ms c s) by lia. apply (U r'); auto; [lia|]. unfold has_suffix.
    replace (n - (n - progress p 0 w)) with (progress p 0 w) by lia. auto.
  - intros F. destruct (Nat.lt_ge_cases (progress p 0 w + ms c s) n) as [|G]; auto. exfalso.
    apply (F r M). apply contains_after. apply contains_le with (n - ms c s); [lia|]. auto.
Qed.

Hypothesis class_of_counted : forall s i, lists s -> i < degree m s ->
  has_class m counts (satisfies p) (class_of c s i) s (label m s i) (target m s i).

(* What the run w comes to: a state and progress *)
Definition comes (w : list (nat * nat)) (v : nat * nat) : Prop := run m (initial m) w (fst v) /\ progress p 0 w = snd v.

Variable gone : nat * nat -> bool.
Hypothesis gone_iff : forall w s, lists s -> (gone (s, progress p 0 w) = true <-> fated_after counts (satisfies p) w s).

Lemma replayed_right k xs v : replay m c x (initial m, 0) fst snd (go m p) gone k (initial m, 0) xs = Came v ->
  comes (word xs) v /\
  (forall before_ y behind, xs = before_ ++ y :: behind -> right_step m counts (satisfies p) c (progress p 0) (word before_) y) /\
  (forall before_ y behind, xs = before_ ++ y :: behind -> run m (initial m) (word before_) (x_from y)).
Proof.
  intros H.
  destruct (replay_right m counts (satisfies p) c x (sound_states _ _ _ _ A) class_of_counted X (initial m, 0) fst snd (go m p) gone
    (progress p 0) comes) with (xs := xs) (k := k) (w := @nil (nat * nat)) (v := (initial m, 0)) (v' := v) as [B0 [_ [B1 B2]]]; auto.
  - split; [constructor|auto].
  - intros w u [R _]. auto.
  - intros w u [_ R]. auto.
  - intros w [s j] [R Q]. simpl in *. subst j. apply gone_iff. apply (reached _ _ _ _ A). exists w. auto.
  - intros w [s j] i [R Q] Hi. simpl in *. split; auto. split.
    + eapply run_app; eauto. apply run_one. apply step_edge. auto.
    + rewrite progress_app. simpl. rewrite Q. auto.
  - split; [constructor|auto].
Qed.

Variable trap : bool.
Variable end_ok : option nat -> list move -> nat * nat -> bool.
(* Where the run ends as it may, it is a counterexample. *)
Hypothesis end_right : forall loop xs s j, run m (initial m) (word xs) s -> progress p 0 (word xs) = j ->
  (forall before_ z behind, xs = before_ ++ z :: behind -> right_step m counts (satisfies p) c (progress p 0) (word before_) z) ->
  (forall before_ z behind, xs = before_ ++ z :: behind -> run m (initial m) (word before_) (x_from z)) ->
  end_ok loop xs (s, j) = true -> violates m p counts trap loop xs.

Theorem counted_counterexample : counterexample_ok m c x (initial m, 0) fst snd (go m p) gone end_ok = None ->
  match counterexample c with
  | None => violated c = false
  | Some (len, loop, xs) => violated c = true /\ len = length xs /\ violates m p counts trap loop xs /\
      forall before_ y behind, xs = before_ ++ y :: behind -> right_step m counts (satisfies p) c (progress p 0) (word before_) y
  end.
Proof.
  unfold counterexample_ok. destruct (counterexample c) as [[[len loop] xs]|].
  - destruct (replay _ _ _ _ _ _ _ _ 0 (initial m, 0) xs) as [|[s j]] eqn:E; [discriminate|].
    rewrite !then_none, !want_none, Nat.eqb_eq, size_of_length. intros [H1 [H2 H3]].
    destruct (replayed_right 0 xs _ E) as [[R P] [Y F]]. simpl in R, P.
    split; auto. split; [lia|]. split; [|exact Y]. apply (end_right loop xs s j); auto.
  - rewrite want_none, negb_true_iff. auto.
Qed.

Theorem counted_claims : counterexample_ok m c x (initial m, 0) fst snd (go m p) gone end_ok = None ->
  walk m c x (fun s => first e s 0 - ahead m) (size m) 0 (neighbourhoods c) = None ->
  (forall k, count c k = members m c k 0) -> true_claims m p counts c trap.
Proof.
  intros K W N. assert (L : forall s, lists s <-> reachable m s) by (apply (sound_states _ _ _ _ A)).
  constructor.
  - apply counted_begin.
  - apply counted_verdict.
  - apply L.
  - intros s Hs. apply (sound_mp _ _ _ _ A). apply L. auto.
  - intros s Hs. apply (sound_cp _ _ _ _ A). apply L. auto.
  - intros s Hs. apply max_right. apply L. auto.
  - intros s Hs. apply common_right. apply L. auto.
  - intros s i Hs Hi. apply class_of_counted; auto. apply L. auto.
  - exact N.
  - apply (sound_neighbourhoods m counts (satisfies p) c x L class_of_counted X (fun s => first e s 0 - ahead m)); auto.
    apply (sound_distance _ _ _ _ A).
  - apply counted_counterexample. exact K.
Qed.
End Counted.

Section Sound.
Variables (m : lts) (p : chain) (c : claims) (e : evidence).
Hypothesis A : accepted m p c e.
Notation n := (steps p).
Notation lists := (lists m (listed c)).

(* ms *)

Definition path (s : nat) (r : trace) : Prop := lists s /\ maximal m s r.

Lemma path_move s l t r : path s (Move l t r) -> (lists s /\ step m s l t) /\ path t r.
Proof.
  intros [L M]. inversion M as [|s' l' t' r' Ht Mt]; subst.
  destruct (a_entry _ _ _ _ A s l t L Ht) as [Lt _]. split; split; auto.
Qed.

Lemma ms_bound s r v : lists s -> maximal m s r -> v <= n -> has_suffix p v r -> v <= ms c s.
Proof.
  intros L M V H. enough (n <= (n - v) + ms c s) by lia.
  apply (suffix_bound p (fun s l t => lists s /\ step m s l t) (ms c)) with (r := r) (path := path).
  - intros s' l t [L' S']. apply (a_ms_le _ _ _ _ A); auto.
  - exact H.
  - lia.
  - intros s' l t r' Hp. apply path_move. auto.
  - split; auto.
Qed.

Lemma rest_adv v l : 0 < v -> v <= n -> n - rest p v l <= adv p (n - v) l.
Proof.
  intros V W. unfold rest, adv. replace (n - v <? n) with true by (symmetry; apply Nat.ltb_lt; lia).
  destruct (does p (S (n - v)) l); simpl; lia.
Qed.

Lemma next_run : forall d s v, next_ e s v = d -> lists s -> v <= ms c s ->
  exists w t, run m s w t /\ n <= progress p (n - v) w.
Proof.
  induction d as [d IH] using lt_wf_ind. intros s v E L V.
  destruct v as [|v]; [exists [], s; split; [constructor|simpl; lia]|].
  destruct (a_next_ex _ _ _ _ A s (S v) L ltac:(lia) V) as [l [t [Ht [B E']]]].
  simpl in E. assert (Lt : lists t) by (apply (a_entry _ _ _ _ A s l t); auto).
  destruct (IH (next_ e t (rest p (S v) l)) ltac:(lia) t _ eq_refl Lt B) as [w [u [R P]]].
  exists ((l, t) :: w), u. split; [econstructor; eauto|]. simpl.
  pose proof (a_ms_range _ _ _ _ A s L).
  pose proof (progress_mono p w _ _ (rest_adv (S v) l ltac:(lia) ltac:(lia))). simpl in *. lia.
Qed.

Theorem sound_ms s : lists s -> max_suffix (maximal m) p s (ms c s).
Proof.
  intros L. split; [apply (a_ms_range _ _ _ _ A); auto|]. split.
  - destruct (next_run _ s (ms c s) eq_refl L) as [w [t [R P]]]; auto.
    destruct (some_maximal m t) as [r M]. exists (after w r). split.
    + eapply maximal_after; eauto.
    + unfold has_suffix. apply contains_after. apply contains_done. auto.
  - intros r v V M H. apply (ms_bound s r v); auto.
Qed.

(* cs *)

Lemma due_bound : forall v s d r, due e s v = d -> lists s -> v <= cs c s -> maximal m s r -> has_suffix p v r.
Proof.
  induction v as [|v IHv]; [intros; apply contains_done; lia|].
  intros s d. revert s. induction d as [d IHd] using lt_wf_ind. intros s r E L V M.
  assert (N : ~ deadlock m s).
  { intros D. rewrite (a_cs_end _ _ _ _ A s L D) in V. lia. }
  pose proof (a_cs_range _ _ _ _ A s L) as Hn.
  inversion M as [s' D|s' l t r' Ht M']; subst; [contradiction|].
  assert (Lt : lists t) by (apply (a_entry _ _ _ _ A s l t); auto).
  pose proof (a_cs_le _ _ _ _ A s l t L Ht) as Hc.
  unfold has_suffix. destruct (does p (S (n - S v)) l) eqn:D.
  - apply contains_step; auto. replace (S (n - S v)) with (n - v) by lia.
    apply (IHv t _ r' eq_refl); auto. unfold advS in Hc. destruct (_ && _); lia.
  - apply contains_later. apply (IHd (due e t (S v))) with (s := t); auto.
    + apply (a_due_le _ _ _ _ A s l t); auto; lia.
    + unfold advS in Hc. destruct ((cs c t <? n) && does p (n - cs c t) l) eqn:F; [|lia].
      apply andb_true_iff in F. destruct F as [F1 F2]. apply Nat.ltb_lt in F1.
      destruct (Nat.eq_dec (cs c t) v) as [Ev|]; [|lia].
      rewrite Ev in F2. replace (n - v) with (S (n - S v)) in F2 by lia. congruence.
Qed.

Fixpoint pick (k : nat) (f : nat -> bool) : nat :=
  match k with 0 => 0 | S k' => if f k' then k' else pick k' f end.
Lemma pick_right k f : (exists i, i < k /\ f i = true) -> pick k f < k /\ f (pick k f) = true.
Proof.
  induction k as [|k IH]; intros [i [Hi F]]; [lia|]. simpl. destruct (f k) eqn:E; auto.
  destruct IH as [B C]; [|split; auto; lia]. exists i. split; auto.
  destruct (Nat.eq_dec i k) as [->|]; [congruence|lia].
Qed.

(* The transition that brings no more than cs. *)
Definition poorest (s : nat) : nat :=
  pick (degree m s) (fun i => cs c s =? advS p (cs c (target m s i)) (label m s i)).

Lemma poorest_right s : lists s -> ~ deadlock m s -> poorest s < degree m s /\
  cs c s = advS p (cs c (target m s (poorest s))) (label m s (poorest s)).
Proof.
  intros L N. destruct (a_cs_ex _ _ _ _ A s L N) as [i [Hi E]].
  destruct (pick_right (degree m s) (fun i => cs c s =? advS p (cs c (target m s i)) (label m s i))) as [B C].
  - exists i. split; auto. apply Nat.eqb_eq. auto.
  - apply Nat.eqb_eq in C. auto.
Qed.

Definition follows (s : nat) (r : trace) : Prop := lists s /\ r = onward m poorest s.

Lemma follows_move s l t r : follows s (Move l t r) ->
  (lists s /\ step m s l t /\ cs c s = advS p (cs c t) l) /\ follows t r.
Proof.
  intros [L E]. rewrite onward_eq in E. destruct (degree m s) eqn:D; [discriminate|].
  inversion E; subst. destruct (poorest_right s L) as [B C]; [unfold deadlock; lia|].
  assert (H : step m s (label m s (poorest s)) (target m s (poorest s))) by (apply step_edge; auto).
  destruct (a_entry _ _ _ _ A s _ _ L H) as [Lt _]. split; split; auto.
Qed.

Lemma follows_maximal s : lists s -> maximal m s (onward m poorest s).
Proof.
  revert s. cofix IH. intros s L. rewrite onward_eq. destruct (degree m s) eqn:D.
  - constructor. exact D.
  - destruct (poorest_right s L) as [B _]; [unfold deadlock; lia|].
    assert (H : step m s (label m s (poorest s)) (target m s (poorest s))) by (apply step_edge; auto).
    constructor; [exact H|]. apply IH. apply (a_entry _ _ _ _ A s _ _ L H).
Qed.

Theorem sound_cs s : lists s -> common_suffix (maximal m) p s (cs c s).
Proof.
  intros L. split; [apply (a_cs_range _ _ _ _ A); auto|]. split.
  - intros r M. apply (due_bound _ s _ r eq_refl); auto.
  - exists (onward m poorest s). split; [apply follows_maximal; auto|].
    intros v V H. enough (n <= (n - v) + cs c s) by lia.
    apply (suffix_bound p (fun s l t => lists s /\ step m s l t /\ cs c s = advS p (cs c t) l) (cs c))
      with (r := onward m poorest s) (path := follows).
    + intros s' l t [_ [_ ->]]. auto.
    + exact H.
    + lia.
    + apply follows_move.
    + split; auto.
Qed.

Lemma all_admitted s : admitted (maximal m) s.
Proof. apply some_maximal. Qed.

Lemma class_of_right s i : lists s -> i < degree m s ->
  has_class m (maximal m) (satisfies p) (class_of c s i) s (label m s i) (target m s i).
Proof.
  intros L Hi. rewrite (a_class _ _ _ _ A s i L Hi).
  apply (counted_class m p c e (maximal m) (fun _ => true) A); auto.
  - intros. split; auto. intros _. apply all_admitted.
  - intros s' Ls _. apply sound_ms. auto.
  - intros s' Ls _. apply sound_cs. auto.
Qed.

Lemma end_right loop xs s j : run m (initial m) (word xs) s -> progress p 0 (word xs) = j ->
  (forall before_ z behind, xs = before_ ++ z :: behind -> run m (initial m) (word before_) (x_from z)) ->
  end_ok m p loop xs (s, j) = true -> violates m p (maximal m) false loop xs.
Proof.
  intros R P F H. left. unfold end_ok in H. cbv zeta in H. simpl in H. destruct loop as [k|].
  - destruct (skipn k xs) as [|y r] eqn:Ek; [discriminate|].
    rewrite andb_true_iff, Nat.eqb_eq, Nat.ltb_lt in H. destruct H as [F' S].
    destruct (lasso_violates m p xs k y r s j R P F Ek F' S) as [R1 [R2 [-> V]]]. split; auto.
    apply maximal_after with s; auto. apply (rounds_maximal m _ s); auto; [discriminate|constructor].
  - rewrite andb_true_iff, Nat.eqb_eq, Nat.ltb_lt in H. destruct H as [D S]. unfold trace_of. split.
    + apply maximal_after with s; auto. constructor. exact D.
    + unfold satisfies. rewrite contains_after, P, contains_stop. lia.
Qed.
End Sound.

(* The main theorem: what the checker accepts is true. *)
Theorem soundness m p c e x : check m p c e x = None -> true_claims m p (maximal m) c false.
Proof.
  intros H. apply check_accepts in H. destruct H as [X [A R]].
  unfold checks_rest in R. apply then_none in R. destruct R as [W K].
  assert (S : forall s, lists m (listed c) s -> admitted (maximal m) s -> max_suffix (maximal m) p s (ms c s)).
  { intros s Ls _. apply (sound_ms _ _ _ _ A). auto. }
  apply (counted_claims m p c e x (maximal m) A X) with (gone := gone p c) (end_ok := end_ok m p); auto.
  - intros s Ls _. apply (sound_cs _ _ _ _ A). auto.
  - apply (a_begin _ _ _ _ A).
  - intros s M. inversion M; auto.
  - intros s l t r M. inversion M; auto.
  - intros s l t r H M. constructor; auto.
  - apply some_maximal.
  - apply (a_verdict _ _ _ _ A).
  - apply (class_of_right _ _ _ _ A).
  - intros w s L. apply (counted_lost m p c (maximal m)); auto. apply some_maximal.
  - intros loop xs s j R P _. apply end_right; auto.
  - destruct (walk _ _ _ _ _ _ _); [discriminate|auto].
  - apply (a_count _ _ _ _ A).
Qed.
