(* Soundness for properties that are no chains. *)
From Coq Require Import List Arith Lia Bool Wf_nat Classical_Prop.
From InevProof Require Import Lts Chain Check Accept Class Sound Unique Acceptance Table.
Import ListNotations.

Ltac split_bools := repeat rewrite ?andb_true_iff, ?Nat.ltb_lt, ?Nat.leb_le, ?Nat.eqb_eq, ?negb_true_iff in *.

Lemma everywhere m s : s < size m -> lists m everything s.
Proof. split; auto. Qed.

Lemma each_all n at_ f : each n everything at_ f = None <-> forall v, v < n -> f v = true.
Proof.
  pose proof (each_iff (Lts n 0 false (fun _ => 0) (fun _ _ => 0) (fun _ _ => 0)) everything at_ f) as H. simpl in H.
  rewrite H. split; intros G v L; apply G; [split; auto|apply L].
Qed.

Section Places.
Variables (m : lts) (a : automaton) (c : claims) (k : places) (y : layout).
Notation product := (product m k y).
Notation next := (after_ a).
Hypothesis Origin : origin y < amount k /\ state_at k (origin y) = initial m /\ q_at k (origin y) = start a.
Hypothesis Order : forall s, s < size m -> order_ok c k y s = true.
Hypothesis Place : forall v, v < amount k -> place_ok m a k y v = true.
Hypothesis Into : indexed product everything (into y).
Hypothesis Far : forall v, v < amount k -> far_ok k y v = true.

Lemma order_listed s : s < size m -> (listed c s = true <-> range y s < range y (S s)).
Proof.
  intros H. specialize (Order s H). unfold order_ok in Order. apply andb_true_iff in Order.
  destruct Order as [E _]. apply eqb_prop in E. rewrite E. apply Nat.ltb_lt.
Qed.

Lemma order_in s v : s < size m -> range y s <= v < range y (S s) ->
  v < amount k /\ state_at k v = s /\ (S v < range y (S s) -> q_at k v < q_at k (S v)).
Proof.
  intros H V. specialize (Order s H). unfold order_ok in Order. apply andb_true_iff in Order.
  destruct Order as [_ E]. rewrite all_from_iff in E. unfold width in E. specialize (E v ltac:(lia)).
  rewrite !andb_true_iff, orb_true_iff in E. split_bools. destruct E as [[E1 E2] E3].
  split; auto. split; auto. intros. lia.
Qed.

Lemma place_in v : v < amount k ->
  state_at k v < size m /\ range y (state_at k v) <= v < range y (S (state_at k v)).
Proof. intros H. specialize (Place v H). unfold place_ok in Place. cbv zeta in Place. split_bools. tauto. Qed.

Lemma goes_right v i : v < amount k -> i < degree m (state_at k v) ->
  goes y v i < amount k /\ state_at k (goes y v i) = target m (state_at k v) i /\
  q_at k (goes y v i) = next (q_at k v) (label m (state_at k v) i).
Proof.
  intros H Hi. specialize (Place v H). unfold place_ok in Place. cbv zeta in Place. split_bools.
  destruct Place as [_ E]. rewrite all_iff in E. specialize (E i Hi). split_bools. tauto.
Qed.

Lemma ascending s : s < size m -> forall d u, range y s <= u -> u + S d < range y (S s) -> q_at k u < q_at k (u + S d).
Proof.
  intros H. induction d as [|d IH]; intros u L U.
  - replace (u + 1) with (S u) by lia. apply (order_in s u H); lia.
  - specialize (IH u L ltac:(lia)). pose proof (order_in s (u + S d) H ltac:(lia)) as [_ [_ O]].
    replace (u + S (S d)) with (S (u + S d)) by lia. specialize (O ltac:(lia)). lia.
Qed.

Lemma same_place u v : u < amount k -> v < amount k -> state_at k u = state_at k v -> q_at k u = q_at k v -> u = v.
Proof.
  intros U V S Q. destruct (place_in u U) as [Hu Ru]. destruct (place_in v V) as [_ Rv]. rewrite <- S in Rv.
  destruct (Nat.lt_trichotomy u v) as [L|[L|L]]; auto; exfalso.
  - pose proof (ascending _ Hu (v - u - 1) u) as G. replace (u + Datatypes.S (v - u - 1)) with v in G by lia. lia.
  - pose proof (ascending _ Hu (u - v - 1) v) as G. replace (v + Datatypes.S (u - v - 1)) with u in G by lia. lia.
Qed.

(* v is the place of s and q. *)
Definition at_place (v s q : nat) : Prop := v < amount k /\ state_at k v = s /\ q_at k v = q.
Definition find (s q : nat) : nat := pick (amount k) (fun v => (state_at k v =? s) && (q_at k v =? q)).
Definition is_listed (s q : nat) : bool :=
  (find s q <? amount k) && (state_at k (find s q) =? s) && (q_at k (find s q) =? q).

Lemma listed_place s q : is_listed s q = true <-> at_place (find s q) s q.
Proof. unfold is_listed, at_place. split_bools. tauto. Qed.

Lemma find_place v s q : at_place v s q -> find s q = v.
Proof.
  intros [V [Es Eq]]. destruct (pick_right (amount k) (fun v => (state_at k v =? s) && (q_at k v =? q))) as [B C].
  - exists v. split; auto. split_bools. auto.
  - fold (find s q) in B, C. split_bools. destruct C as [C1 C2]. apply same_place; auto; congruence.
Qed.

Lemma place_listed v s q : at_place v s q -> is_listed s q = true.
Proof. intros H. apply listed_place. rewrite (find_place _ _ _ H). auto. Qed.

Lemma step_place v s q l t : at_place v s q -> step m s l t -> exists i,
  i < degree m s /\ label m s i = l /\ target m s i = t /\ at_place (goes y v i) t (next q l).
Proof.
  intros [V [<- <-]] [i [Hi [<- <-]]]. exists i. split; auto. split; auto. split; auto.
  destruct (goes_right v i V Hi) as [B [C D]]. split; auto.
Qed.

Lemma closed s q l t : is_listed s q = true -> step m s l t -> is_listed t (next q l) = true.
Proof.
  intros L Ht. apply listed_place in L. destruct (step_place _ _ _ l t L Ht) as [i [_ [_ [_ B]]]].
  apply (place_listed _ _ _ B).
Qed.

Lemma place_run : forall d v, far k v = d -> v < amount k ->
  exists w, run m (initial m) w (state_at k v) /\ nexts a (start a) w = q_at k v /\ length w = d.
Proof.
  induction d as [d IH] using lt_wf_ind. intros v E V. pose proof (Far v V) as F. unfold far_ok in F.
  destruct (v =? origin y) eqn:O.
  - split_bools. subst v. destruct Origin as [_ [-> ->]]. exists []. repeat split; [constructor|simpl; lia].
  - apply one_more_iff in F. destruct F as [_ [j [e [Hj [Fe F]]]]]. inversion Fe; subst e.
    destruct (entered_by _ _ _ v j Into (everywhere product v V) Hj) as [[_ U] [i [Hi [L G]]]]. simpl in U, Hi, L, G.
    set (u := source (into y) v j) in *.
    destruct (IH (far k u) ltac:(lia) u eq_refl U) as [w [R [Q Lw]]].
    destruct (goes_right u i U Hi) as [_ [T N]]. rewrite G in T, N.
    exists (w ++ [(label m (state_at k u) i, state_at k v)]). split; [|split].
    + eapply run_app; eauto. apply run_one. rewrite T. apply step_edge. auto.
    + rewrite nexts_app, Q. simpl. auto.
    + rewrite app_length. simpl. lia.
Qed.

Lemma run_place : forall n w s, length w = n -> run m (initial m) w s ->
  exists v, at_place v s (nexts a (start a) w) /\ far k v <= length w.
Proof.
  induction n as [|n IH]; intros w s E R.
  - destruct w; [|discriminate]. inversion R; subst. destruct Origin as [O [Os Oq]]. exists (origin y).
    split; [split; auto|]. pose proof (Far _ O) as F. unfold far_ok in F. rewrite Nat.eqb_refl in F. split_bools. lia.
  - destruct (run_snoc _ _ _ _ R) as [[-> _]|[w' [l [u [-> [R' Hs]]]]]]; [discriminate|].
    rewrite app_length in E. simpl in E. destruct (IH w' u ltac:(lia) R') as [v [V D]].
    destruct (step_place v u _ l s V Hs) as [i [Hi [L [T V']]]]. exists (goes y v i). rewrite nexts_app. simpl.
    split; auto. rewrite app_length. simpl. destruct V' as [N' _]. pose proof (Far _ N') as F. unfold far_ok in F.
    destruct (goes y v i =? origin y); [split_bools; lia|]. apply one_more_iff in F. destruct F as [F _].
    destruct V as [N [Es _]].
    destruct (entering _ _ _ v l (goes y v i) Into (everywhere product v N)) as [j [Hj [Sj _]]].
    { exists i. simpl. rewrite Es. auto. }
    specialize (F j (far k v) Hj). rewrite Sj in F. specialize (F eq_refl). lia.
Qed.

Theorem places_right s q : is_listed s q = true <-> exists w, run m (initial m) w s /\ nexts a (start a) w = q.
Proof.
  split.
  - intros L. apply listed_place in L. destruct L as [V [Es Eq]].
    destruct (place_run _ _ eq_refl V) as [w [R [Q _]]]. exists w. rewrite Es in R. rewrite Eq in Q. auto.
  - intros [w [R <-]]. destruct (run_place _ w s eq_refl R) as [v [V _]]. apply (place_listed _ _ _ V).
Qed.

Theorem table_states s : lists m (listed c) s <-> reachable m s.
Proof.
  split.
  - intros [L H]. apply (order_listed s H) in L. destruct (order_in s (range y s) H ltac:(lia)) as [V [E _]].
    destruct (place_run _ _ eq_refl V) as [w [R _]]. exists w. rewrite E in R. auto.
  - intros [w R]. destruct (run_place _ w s eq_refl R) as [v [[V [E _]] _]].
    destruct (place_in v V) as [B C]. rewrite E in B, C. split; auto. apply order_listed; auto. lia.
Qed.

Lemma least_far_right : forall n v, 0 < n ->
  (exists u, v <= u < v + n /\ least_far k n v = far k u) /\ (forall u, v <= u < v + n -> least_far k n v <= far k u).
Proof.
  induction n as [|n IH]; intros v H; [lia|]. cbn [least_far]. destruct n as [|n].
  - split; [exists v; split; auto; lia|]. intros u U. replace u with v by lia. auto.
  - destruct (IH (S v) ltac:(lia)) as [[u [U E]] B]. destruct (Nat.leb_spec (far k v) (least_far k (S n) (S v))).
    + split; [exists v; split; auto; lia|]. intros u' U'. destruct (Nat.eq_dec u' v) as [->|]; auto.
      specialize (B u' ltac:(lia)). lia.
    + split; [exists u; split; auto; lia|]. intros u' U'. destruct (Nat.eq_dec u' v) as [->|]; [lia|].
      apply B. lia.
Qed.

Theorem table_distance s : lists m (listed c) s -> own m s = true -> distance m s (nearest k y s - ahead m).
Proof.
  intros [L H] O. apply (order_listed s H) in L. unfold nearest, width.
  destruct (least_far_right (range y (S s) - range y s) (range y s) ltac:(lia)) as [[u [U E]] B]. apply distance_right; auto.
  - destruct (order_in s u H ltac:(lia)) as [V [Es _]]. destruct (place_run _ u eq_refl V) as [w [R [_ Lw]]].
    exists w. rewrite Es in R. split; auto. lia.
  - intros w R. destruct (run_place _ w s eq_refl R) as [v [[V [Es _]] D]].
    destruct (place_in v V) as [_ C]. rewrite Es in C. specialize (B v ltac:(lia)). lia.
Qed.

(* The places from which some run is of a side, and those from which none is *)
Section Side.
Variables (violating : bool) (can : nat -> bool) (stop : nat -> bool) (cond : condition) (e : side).
Hypothesis Checked : check_side m a k y violating can stop (pairs cond) e = None.
Notation ps := (pairs cond).

Lemma checked : (forall v, v < amount k -> side_ok m a k y can stop ps e v = true) /\
  (forall h, h < homes e -> home_ok m a k y can ps e h = true) /\
  (forall v, v < amount k -> home_place_ok m a k y can ps e v = true).
Proof. unfold check_side in Checked. rewrite !then_none, !each_all in Checked. tauto. Qed.

Definition can_at (s q : nat) : bool := can (find s q).

Lemma ranked_right us : forall j v i, ranked_at m a k y e j us v i = true -> forall n u, nth_error us n = Some u ->
  let t := goes y v i in let b := missing e (j + n) v in
  (exists d, In d (fst u) /\ has_at m a k v i d = true) \/ rank e (j + n) t < rank e (j + n) v \/
  (rank e (j + n) t = rank e (j + n) v /\ missing e (j + n) t = b /\ In (b - 1) (snd u) /\ has_at m a k v i (b - 1) = false).
Proof.
  induction us as [|u us IH]; intros j v i H n u' E; [destruct n; discriminate|].
  cbn [ranked_at] in H. cbv zeta in H. apply andb_true_iff in H. destruct H as [H H']. destruct n as [|n].
  - inversion E; subst u'. rewrite Nat.add_0_r. cbv zeta. rewrite !orb_true_iff in H. destruct H as [[H|H]|H].
    + left. apply existsb_exists in H. exact H.
    + right. left. apply Nat.ltb_lt. exact H.
    + right. right. split_bools. destruct H as [[[[H1 H2] H3] H4] H5]. split; auto. split; auto. split; auto.
      apply existsb_exists in H4. destruct H4 as [d [Hd H4]]. apply Nat.eqb_eq in H4. rewrite H4. auto.
  - specialize (IH (S j) v i H' n u' E). replace (S j + n) with (j + S n) in IH by lia. exact IH.
Qed.

Theorem none_is s q r : is_listed s q = true -> can_at s q = false -> maximal m s r -> ~ accepts a stop cond q r.
Proof.
  intros L C M. destruct checked as [K _].
  assert (N : forall s q, cannot is_listed can_at s q -> at_place (find s q) s q /\
    (degree m s = 0 -> stop q = false) /\ forall i, i < degree m s ->
      can (goes y (find s q) i) = false /\ ranked_at m a k y e 0 ps (find s q) i = true).
  { intros s' q' [L' C']. apply listed_place in L'. split; auto. destruct L' as [V [Es Eq]].
    specialize (K _ V). unfold side_ok in K. unfold can_at in C'. rewrite C', Es, Eq in K. cbv zeta in K.
    apply andb_true_iff in K. destruct K as [K1 K2]. split.
    - intros D. rewrite D in K1. simpl in K1. apply negb_true_iff in K1. exact K1.
    - intros i Hi. rewrite all_iff in K2. specialize (K2 i Hi). split_bools. auto. }
  apply (never a m stop cond is_listed can_at closed
    (fun j s q => rank e j (find s q)) (fun j s q => missing e j (find s q) - 1)) with (s := s); [| | |split; auto|auto].
  - intros s' q' H D. apply N in H. destruct H as [_ [H _]]. auto.
  - intros s' q' l t H Ht. apply N in H. destruct H as [P [_ H]].
    destruct (step_place _ _ _ l t P Ht) as [i [Hi [_ [_ P']]]]. unfold can_at. rewrite (find_place _ _ _ P'). apply H. auto.
  - intros j u s' q' l t Hu H Ht. apply N in H. destruct H as [P [_ H]].
    destruct (step_place _ _ _ l t P Ht) as [i [Hi [El [_ P']]]]. rewrite (find_place _ _ _ P').
    destruct (H i Hi) as [_ R]. pose proof (ranked_right ps 0 _ i R j u Hu) as G. cbv zeta in G. simpl in G.
    unfold has_at in G. destruct P as [_ [Es Eq]]. rewrite Es, Eq, El in G.
    destruct G as [G|[G|[G1 [G2 [G3 G4]]]]]; [left; exact G|right; left; exact G|right; right].
    rewrite G2. auto.
Qed.

Definition home_at (s q : nat) : nat := if is_listed s q && can_at s q then home e (find s q) else 0.
Definition pair_of (h : nat) : pair_ := pair_at ps e h.
Notation stays := (stays a m home_at pair_of).

Lemma home_at_right s q : 0 < home_at s q -> at_place (find s q) s q /\ can (find s q) = true /\ home_at s q = home e (find s q).
Proof.
  unfold home_at, can_at. destruct (is_listed s q) eqn:L; simpl; [|lia]. destruct (can (find s q)); simpl; [|lia].
  intros _. split; auto. apply listed_place. auto.
Qed.

Lemma home_at_place v s q : at_place v s q -> can v = true -> home_at s q = home e v.
Proof.
  intros V C. unfold home_at, can_at. rewrite (place_listed _ _ _ V), (find_place _ _ _ V), C. auto.
Qed.

Lemma stays_right h v i s q : 0 < h -> at_place v s q -> i < degree m s -> stays_ok m a k y can ps e h v i = true ->
  stays h s q (label m s i) (target m s i) /\ goes y v i = find (target m s i) (next q (label m s i)).
Proof.
  intros H V Hi S. unfold stays_ok in S. cbv zeta in S. split_bools. destruct S as [[[[S1 S2] S3] S4] S5].
  destruct (step_place v s q (label m s i) (target m s i) V (step_edge m s i Hi)) as [_ _].
  assert (V' : at_place (goes y v i) (target m s i) (next q (label m s i))).
  { destruct V as [V [Es Eq]]. subst s q. destruct (goes_right v i V Hi) as [B [C D]]. split; auto. }
  split; [|symmetry; apply (find_place _ _ _ V')].
  split; [apply step_edge; auto|]. split; [rewrite (home_at_place _ _ _ V S1); auto|].
  split; [rewrite (home_at_place _ _ _ V' S3); auto|]. intros d Hd.
  unfold has_at in S5. destruct V as [_ [Es Eq]]. rewrite Es, Eq in S5.
  destruct (has a q (label m s i) d) eqn:E; auto. rewrite <- S5. symmetry. apply existsb_exists. eauto.
Qed.

Lemma there_right h vi : 0 < h -> there m a k y can ps e h vi = true ->
  let s := state_at k (fst vi) in let q := q_at k (fst vi) in
  stays h s q (label m s (snd vi)) (target m s (snd vi)).
Proof.
  intros H T. unfold there in T. rewrite !andb_true_iff, !Nat.ltb_lt in T. destruct T as [[V Hi] T].
  destruct (stays_right h (fst vi) (snd vi) (state_at k (fst vi)) (q_at k (fst vi)) H) as [B _]; auto. split; auto.
Qed.

Lemma home_known s q : 0 < home_at s q -> exists h, home_at s q = S h /\ h < homes e.
Proof.
  intros H. destruct (home_at_right s q H) as [P [C E]]. destruct checked as [K _].
  destruct P as [V [Es Eq]]. specialize (K _ V). unfold side_ok in K. cbv zeta in K. rewrite C in K.
  rewrite E in *. exists (home e (find s q) - 1).
  destruct (degree m _ =? 0); [split_bools; lia|].
  replace (1 <=? home e (find s q)) with true in K by (symmetry; apply Nat.leb_le; lia). split_bools. lia.
Qed.

Lemma in_home s q : 0 < home_at s q ->
  let h := home_at s q in let v := find s q in
  (v = root e h /\ from e v = 0 /\ to e v = 0) \/
  ((exists i, i < degree m s /\ stays_ok m a k y can ps e h v i = true /\ to e v = S (to e (goes y v i))) /\
   (exists j, j < indegree (into y) v /\ stays_ok m a k y can ps e h (source (into y) v j) (place (into y) v j) = true /\
     from e v = S (from e (source (into y) v j)))).
Proof.
  intros H. destruct (home_at_right s q H) as [P [C E]]. destruct checked as [_ [_ K]].
  destruct P as [V [Es Eq]]. specialize (K _ V). unfold home_place_ok in K. cbv zeta in *. rewrite C, <- E in K.
  replace (1 <=? home_at s q) with true in K by (symmetry; apply Nat.leb_le; lia). simpl in K.
  destruct (find s q =? root e (home_at s q)) eqn:R; split_bools; [left; auto|right].
  rewrite !one_more_iff in K. destruct K as [[_ K1] [_ K2]]. split.
  - destruct K1 as [i [d [Hi [F G]]]]. exists i. rewrite Es in Hi. split; auto.
    destruct (stays_ok _ _ _ _ _ _ _ _ _ _); [|discriminate]. inversion F; subst. auto.
  - destruct K2 as [j [d [Hj [F G]]]]. exists j. split; auto.
    destruct (stays_ok _ _ _ _ _ _ _ _ _ _); [|discriminate]. inversion F; subst. auto.
Qed.

Definition root_of (h : nat) : nat * nat := (state_at k (root e h), q_at k (root e h)).

Theorem some_is s q : is_listed s q = true -> can_at s q = true ->
  exists r, maximal m s r /\ accepts a stop cond q r.
Proof.
  apply (some_run a m stop cond is_listed can_at closed home_at (fun s q => settle e (find s q))
    (fun s q => from e (find s q)) (fun s q => to e (find s q)) root_of pair_of); clear s q.
  - intros s q L C. pose proof (home_at_place (find s q) s q) as HA.
    pose proof (proj1 (listed_place s q) L) as P. specialize (HA P C). destruct checked as [K _].
    pose proof P as [V [Es Eq]]. specialize (K _ V). unfold side_ok in K. cbv zeta in K. unfold can_at in C.
    rewrite C, Es, Eq in K. destruct (degree m s =? 0) eqn:D.
    + split_bools. left. split; tauto.
    + destruct (1 <=? home e (find s q)) eqn:H1; [split_bools; right; left; lia|right; right].
      apply one_more_iff in K. destruct K as [_ [i [d [Hi [F G]]]]].
      destruct (can (goes y (find s q) i)) eqn:Cg; [|discriminate]. inversion F; subst.
      exists (label m s i), (target m s i). split; [apply step_edge; auto|].
      destruct (step_place _ s q (label m s i) (target m s i) P (step_edge m s i Hi)) as [_ _].
      assert (P' : at_place (goes y (find s q) i) (target m s i) (next q (label m s i))).
      { destruct (goes_right (find s q) i V) as [B1 [B2 B3]]; [rewrite Es; auto|]. rewrite Es, Eq in B3. rewrite Es in B2. split; auto. }
      unfold can_at. rewrite (find_place _ _ _ P'). split; auto. lia.
  - intros s q H. destruct (in_home s q H) as [[R _]|[[i [Hi [S E]]] _]].
    + left. destruct (home_at_right s q H) as [[_ [Es Eq]] _]. unfold root_of. rewrite <- R, Es, Eq. auto.
    + right. exists (label m s i), (target m s i). destruct (home_at_right s q H) as [P _].
      destruct (stays_right _ _ i s q H P Hi S) as [B F]. split; auto. rewrite <- F. lia.
  - intros s q H. destruct (in_home s q H) as [[R _]|[_ [j [Hj [S E]]]]].
    + left. destruct (home_at_right s q H) as [[_ [Es Eq]] _]. unfold root_of. rewrite <- R, Es, Eq. auto.
    + right. destruct (home_at_right s q H) as [[V [Es Eq]] _].
      destruct (i_only _ _ _ Into (find s q) j (everywhere product _ V) Hj) as [[_ U] [Hi G]]. simpl in U, Hi, G.
      set (u := source (into y) (find s q) j) in *. set (i := place (into y) (find s q) j) in *.
      assert (PU : at_place u (state_at k u) (q_at k u)) by (split; auto).
      destruct (stays_right _ u i _ _ H PU Hi S) as [B F].
      destruct (goes_right u i U Hi) as [_ [T N]]. rewrite G, Es in T. rewrite G, Eq in N.
      exists (state_at k u), (q_at k u), (label m (state_at k u) i). rewrite <- T in B. split; auto. split; auto.
      cbv beta. rewrite (find_place _ _ _ PU). lia.
  - intros s q H. destruct (home_known s q H) as [h [Eh Hh]]. destruct checked as [_ [K _]]. specialize (K h Hh).
    unfold home_ok in K. cbv zeta in K. rewrite <- Eh in K. rewrite !andb_true_iff in K.
    destruct K as [[[[_ K] W] T] Cs]. rewrite Nat.ltb_lt, size_of_length, Nat.add_0_r in W. split; [|split].
    + apply nth_In. exact W.
    + eexists _, _, _, _. apply (there_right _ _ H T).
    + intros d Hd. rewrite forallb_forall in Cs. specialize (Cs d Hd). apply andb_true_iff in Cs. destruct Cs as [C1 C2].
      eexists _, _, _, _. split; [apply (there_right _ _ H C1)|]. exact C2.
Qed.
End Side.

Variables (good bad : side) (x : index).
Hypothesis Good : check_side m a k y false (sat k) (stops a) (pairs (accepts_by a)) good = None.
Hypothesis Bad_ : check_side m a k y true (vio k) (fun q => negb (stops a q)) (pairs (dual (accepts_by a))) bad = None.
Hypothesis Verdict : violated c = vio k (origin y).
Hypothesis Classes : forall s, lists m (listed c) s -> table_class_ok m c k y s = true.
Hypothesis X : indexed m (listed c) x.

Notation sats := (satisfies_from a).
Notation prop := (property_of a).

Lemma sat_right v s q : at_place v s q -> (sat k v = true <-> exists r, maximal m s r /\ sats q r).
Proof.
  intros P. pose proof (place_listed _ _ _ P) as L. split.
  - intros S. apply (some_is _ _ _ _ _ Good s q L). unfold can_at. rewrite (find_place _ _ _ P). auto.
  - intros [r [M A]]. destruct (sat k v) eqn:E; auto. exfalso.
    apply (none_is _ _ _ _ _ Good s q r L); auto. unfold can_at. rewrite (find_place _ _ _ P). auto.
Qed.

Lemma vio_right v s q : at_place v s q -> (vio k v = true <-> exists r, maximal m s r /\ ~ sats q r).
Proof.
  intros P. pose proof (place_listed _ _ _ P) as L. split.
  - intros S. destruct (some_is _ _ _ _ _ Bad_ s q L) as [r [M A]].
    { unfold can_at. rewrite (find_place _ _ _ P). auto. }
    exists r. split; auto. apply complement in A. exact A.
  - intros [r [M A]]. destruct (vio k v) eqn:E; auto. exfalso.
    apply (none_is _ _ _ _ _ Bad_ s q r L); auto.
    + unfold can_at. rewrite (find_place _ _ _ P). auto.
    + apply complement. exact A.
Qed.

Lemma behind_run w r : prop (after w r) <-> sats (nexts a (start a) w) r.
Proof. apply satisfies_after. Qed.

Theorem table_class_right s i : lists m (listed c) s -> i < degree m s ->
  has_class m (maximal m) prop (class_of c s i) s (label m s i) (target m s i).
Proof.
  intros L Hi. pose proof (Classes s L) as K. unfold table_class_ok in K. rewrite all_iff in K. specialize (K i Hi).
  apply same_iff in K. rewrite K. clear K. set (l := label m s i). set (t := target m s i).
  destruct L as [Ls Hs].
  assert (Some_ : forall can, any_from (width y s) (range y s) (fun v => can (goes y v i)) = true <->
    exists w v, run m (initial m) w s /\ at_place v t (next (nexts a (start a) w) l) /\ can v = true).
  { intros can. rewrite any_from_iff. unfold width. split.
    - intros [v [V C]]. destruct (order_in s v Hs ltac:(lia)) as [N [Es _]].
      destruct (place_run _ v eq_refl N) as [w [R [Q _]]]. rewrite Es in R. exists w, (goes y v i). split; auto.
      split; auto. destruct (goes_right v i N) as [B1 [B2 B3]]; [rewrite Es; auto|]. rewrite Es in B2, B3.
      split; auto. split; auto. rewrite Q. auto.
    - intros [w [v [R [V C]]]]. destruct (run_place _ w s eq_refl R) as [u [[U [Es Eq]] _]].
      destruct (place_in u U) as [_ B]. rewrite Es in B. exists u. split; [lia|].
      destruct (goes_right u i U) as [B1 [B2 B3]]; [rewrite Es; auto|]. rewrite Es in B2, B3. rewrite Eq in B3.
      replace (goes y u i) with v; auto. fold t in B2. fold l in B3. destruct V as [V1 [V2 V3]]. apply same_place; auto; congruence. }
  assert (Split : forall w r, prop (after w (Move l t r)) <-> sats (next (nexts a (start a) w) l) r).
  { intros w r. rewrite behind_run. apply (satisfies_after a [(l, t)]). }
  assert (Here : forall w, run m (initial m) w s -> exists v, at_place v t (next (nexts a (start a) w) l)).
  { intros w R. destruct (run_place _ w s eq_refl R) as [u [U _]].
    destruct (step_place u s _ l t U (step_edge m s i Hi)) as [j [_ [_ [_ V]]]]. eauto. }
  unfold table_class_at. cbv zeta.
  destruct (any_from _ _ (fun v => vio k (goes y v i))) eqn:EV; [destruct (any_from _ _ (fun v => sat k (goes y v i))) eqn:ES|].
  - apply Some_ in EV, ES. destruct EV as [w [v [R [V C]]]], ES as [w' [v' [R' [V' C']]]]. split.
    + apply (sat_right _ _ _ V') in C'. destruct C' as [r [M S]]. exists w', r. split; auto. split; auto. apply Split. auto.
    + apply (vio_right _ _ _ V) in C. destruct C as [r [M S]]. exists w, r. split; auto. split; auto.
      intros A. apply S, Split. auto.
  - split; [apply some_maximal|]. intros w r R M S. rewrite <- not_true_iff_false in ES. apply ES, Some_. destruct (Here w R) as [v V].
    exists w, v. split; auto. split; auto. apply (sat_right _ _ _ V). exists r. split; auto. apply Split. auto.
  - split; [apply some_maximal|]. intros w r R M. apply NNPP. intros S. rewrite <- not_true_iff_false in EV. apply EV, Some_. destruct (Here w R) as [v V].
    exists w, v. split; auto. split; auto. apply (vio_right _ _ _ V). exists r. split; auto. intros A. apply S, Split. auto.
Qed.

Hypothesis Front : table_begin_ok m a = true.

Lemma table_begin : added m = true -> forall l t, step m (initial m) l t -> next (start a) l = first_state m a.
Proof.
  intros Ad l t [i [Hi [<- _]]]. unfold table_begin_ok in Front. rewrite Ad in Front. simpl in Front.
  apply andb_true_iff in Front. destruct Front as [_ B]. rewrite all_iff in B. apply Nat.eqb_eq. auto.
Qed.

Theorem table_verdict_right : if violated c then exists b r, begins m b /\ maximal m b r /\ ~ satisfies_from a (first_state m a) r
  else forall b r, begins m b -> maximal m b r -> satisfies_from a (first_state m a) r.
Proof.
  rewrite Verdict. destruct Origin as [O [Os Oq]].
  assert (V : at_place (origin y) (initial m) (start a)) by (split; auto).
  pose proof (vio_right _ _ _ V) as H.
  assert (Same : added m = true -> forall l b r, step m (initial m) l b -> (prop (Move l b r) <-> satisfies_from a (first_state m a) r)).
  { intros Ad l b r St. pose proof (satisfies_after a [(l, b)] (start a) r) as S. simpl in S. rewrite (table_begin Ad l b St) in S. exact S. }
  assert (First : added m = false -> first_state m a = start a) by (intros Ad; unfold first_state; rewrite Ad; auto).
  unfold begins. destruct (vio k (origin y)).
  - destruct H as [H _]. destruct (H eq_refl) as [r [M N]]. destruct (added m) eqn:Ad; [|exists (initial m), r; rewrite First; auto].
    destruct r as [|l b r].
    + exfalso. inversion M as [z D|]; subst. unfold table_begin_ok in Front. rewrite Ad in Front. simpl in Front. unfold deadlock in D.
      rewrite D in Front. discriminate.
    + inversion M; subst. exists b, r. split; [eauto|]. split; auto. intros S. apply N. apply (Same eq_refl); auto.
  - intros b r B M. apply NNPP. intros N. assert (false = true); [|discriminate]. apply H. destruct (added m) eqn:Ad.
    + destruct B as [l St]. exists (Move l b r). split; [constructor; auto|]. intros S. apply N. apply (Same eq_refl) in S; auto.
    + subst b. exists r. rewrite First in N; auto.
Qed.

(* Counterexamples *)

Definition comes_to (w : list (nat * nat)) (v : nat) : Prop :=
  run m (initial m) w (state_at k v) /\ at_place v (state_at k v) (nexts a (start a) w).

Lemma gone_right w v : comes_to w v -> (negb (sat k v) = true <-> fated_after (maximal m) prop w (state_at k v)).
Proof.
  intros [R V]. rewrite negb_true_iff, <- not_true_iff_false, (sat_right _ _ _ V). unfold fated_after. split.
  - intros N r M S. apply N. exists r. split; auto. apply behind_run. auto.
  - intros F [r [M S]]. apply (F r M). apply behind_run. auto.
Qed.

(* Going round a loop for ever *)

Lemma evaluate_right x0 q r f : (forall d, recurs a d q r -> f d = true) -> (forall d, ceases a d q r -> f d = false) ->
  meets a x0 q r -> evaluate x0 f = true.
Proof.
  intros I F. induction x0 as [b|d|d|x1 IH1 x2 IH2|x1 IH1 x2 IH2]; simpl; auto.
  - intros H. rewrite (F d H). auto.
  - intros [H1 H2]. rewrite IH1, IH2; auto.
  - intros [H|H]; [rewrite IH1; auto|rewrite IH2; auto]. apply orb_true_r.
Qed.

Lemma turn_nexts w : forall n q, turn a w n q = nexts a q (concat (repeat w n)).
Proof. induction n as [|n IH]; intros q; simpl; auto. rewrite nexts_app, IH. auto. Qed.

Lemma rounds_many w : forall n, rounds w [] = after (concat (repeat w n)) (rounds w []).
Proof.
  induction n as [|n IH]; simpl; auto. rewrite after_app, <- IH. rewrite (rounds_nil w) at 1. apply rounds_after.
Qed.

Lemma shown_in_right b w : forall q r j, j < length w -> shows a b q (after w r) j = true -> shown_in a b q w = true.
Proof.
  induction w as [|[l t] w IH]; simpl; intros q r j H S; [lia|]. destruct j as [|j]; [simpl in S; rewrite S; auto|].
  rewrite (IH (next q l) r j ltac:(lia) S). apply orb_true_r.
Qed.

Lemma shown_in_shows b w : forall q r, shown_in a b q w = true -> exists j, shows a b q (after w r) j = true.
Proof.
  induction w as [|[l t] w IH]; simpl; intros q r H; [discriminate|]. apply orb_true_iff in H. destruct H as [H|H].
  - exists 0. auto.
  - destruct (IH (next q l) r H) as [j J]. exists (S j). auto.
Qed.

Lemma shown_rounds_right b w : forall n q r j, j < length (concat (repeat w n)) ->
  shows a b q (after (concat (repeat w n)) r) j = true -> shown_rounds a b w n q = true.
Proof.
  induction n as [|n IH]; simpl; intros q r j H S; [lia|]. rewrite app_length in H. rewrite after_app in S.
  destruct (Nat.lt_ge_cases j (length w)) as [L|L].
  - rewrite (shown_in_right b w q _ j L S). auto.
  - replace j with (length w + (j - length w)) in S by lia. rewrite shows_after in S.
    rewrite (IH _ r (j - length w) ltac:(lia) S). apply orb_true_r.
Qed.

Lemma shown_rounds_shows b w : forall n q r, shown_rounds a b w n q = true ->
  exists j, shows a b q (after (concat (repeat w n)) r) j = true.
Proof.
  induction n as [|n IH]; simpl; intros q r H; [discriminate|]. rewrite after_app. apply orb_true_iff in H.
  destruct H as [H|H]; [apply shown_in_shows; auto|]. destruct (IH _ r H) as [j J].
  exists (length w + j). rewrite shows_after. auto.
Qed.

Lemma round_right w q : w <> [] -> round_ok a y w q = true -> ~ sats q (rounds w []).
Proof.
  intros Nw H Sat. unfold round_ok in H. cbv zeta in H. split_bools. destruct H as [[H1 H2] H3].
  set (r := rounds w []) in *. set (q' := turn a w (lead y) q) in *.
  assert (Sat' : sats q' r).
  { unfold q'. rewrite turn_nexts. apply satisfies_after. unfold r. rewrite <- rounds_many. exact Sat. }
  set (v := concat (repeat w (period y))) in *.
  assert (E : r = after v r) by apply rounds_many. rewrite turn_nexts in H2. fold v in H2.
  assert (Lv : 0 < length v).
  { unfold v. destruct (period y) as [|n]; [lia|]. simpl. rewrite app_length. destruct w; [contradiction|simpl; lia]. }
  assert (Z : forall n j, shows a n q' r j = true -> forall i, exists j', i <= j' /\ shows a n q' r j' = true).
  { intros n j J i. exists (i * length v + j). split; [nia|]. induction i as [|i IH]; auto.
    rewrite E. replace (S i * length v + j) with (length v + (i * length v + j)) by (simpl; lia).
    rewrite shows_after, H2. exact IH. }
  assert (Back : forall n j, shows a n q' r j = true -> shown_rounds a n w (period y) q' = true).
  { intros n. induction j as [j IH] using lt_wf_ind. intros J. destruct (Nat.lt_ge_cases j (length v)) as [L|L].
    - rewrite E in J. apply (shown_rounds_right n w (period y) q' r j L J).
    - apply (IH (j - length v)); [lia|]. rewrite E in J. replace j with (length v + (j - length v)) in J by lia.
      rewrite shows_after, H2 in J. exact J. }
  destruct Sat' as [[u [En _]]|[_ Me]].
  - unfold r in En. apply (rounds_endless a w Nw q' (rounds w []) u En [] eq_refl).
  - rewrite <- not_true_iff_false in H3. apply H3.
    apply (evaluate_right (accepts_by a) q' r); auto.
    + intros d R. destruct (R 0) as [j [_ J]]. apply (Back d j J).
    + intros d [n C]. destruct (shown_rounds a d w (period y) q') eqn:Sh; auto. exfalso.
      destruct (shown_rounds_shows d w (period y) q' r Sh) as [j J]. fold v in J. rewrite <- E in J.
      destruct (Z d j J n) as [j' [Hj' J']]. rewrite (C j' Hj') in J'. discriminate.
Qed.

Notation replay := (replay m c x (origin y) (state_at k) (q_at k) (goes y) (fun v => negb (sat k v))).

Theorem table_counterexample :
  counterexample_ok m c x (origin y) (state_at k) (q_at k) (goes y) (fun v => negb (sat k v)) (table_end_ok a k y) = None ->
  match counterexample c with
  | None => violated c = false
  | Some (len, loop, xs) => violated c = true /\ len = length xs /\
      match loop with
      | None => exists s, run m (initial m) (word xs) s /\ fated_after (maximal m) prop (word xs) s
      | Some _ => maximal m (initial m) (trace_of loop xs) /\ ~ prop (trace_of loop xs)
      end /\
      forall before_ z behind, xs = before_ ++ z :: behind -> right_step m (maximal m) prop c (nexts a (start a)) (word before_) z
  end.
Proof.
  unfold counterexample_ok. destruct (counterexample c) as [[[len loop] xs]|].
  2: { rewrite want_none, negb_true_iff. auto. }
  destruct (replay 0 (origin y) xs) as [|v] eqn:E; [discriminate|].
  rewrite !then_none, !want_none, Nat.eqb_eq, size_of_length. intros [H1 [H2 H3]].
  destruct Origin as [O [Os Oq]].
  assert (Begin : comes_to [] (origin y)).
  { split; [rewrite Os; constructor|]. split; auto. }
  destruct (replay_right m (maximal m) prop c x table_states table_class_right X (origin y) (state_at k) (q_at k) (goes y)
    (fun v => negb (sat k v)) (nexts a (start a)) comes_to) with (xs := xs) (k := 0) (w := @nil (nat * nat)) (v := origin y) (v' := v)
    as [[R V] [_ [Y F]]]; auto.
  - intros w u [R _]. auto.
  - intros w u [_ [_ [_ Q]]]. auto.
  - apply gone_right.
  - intros w u i [R [U [_ Q]]] Hi. destruct (goes_right u i U Hi) as [B [C D]]. split; auto. split.
    + rewrite C. eapply run_app; eauto. apply run_one. apply step_edge. auto.
    + split; auto. split; auto. rewrite nexts_app, <- Q. simpl. auto.
  - simpl in R, V, Y. split; auto. split; [lia|]. split; [|exact Y].
    unfold table_end_ok in H3. destruct loop as [n|].
    + destruct (skipn n xs) as [|z r] eqn:En; [discriminate|].
      rewrite andb_true_iff, Nat.eqb_eq in H3. destruct H3 as [F' Ro].
      destruct (skipn_nth _ xs n z r En) as [Ex _].
      pose proof (F _ _ _ Ex) as R1. rewrite F', Os in R1.
      assert (W : word xs = word (firstn n xs) ++ word (z :: r)).
      { unfold word. rewrite <- map_app. rewrite <- Ex. auto. }
      rewrite W in R, V. destruct (run_split _ _ _ _ _ R) as [s1 [R2 R3]].
      assert (s1 = state_at k v). { clear -R1 R2. revert R1 R2. generalize (initial m) as b. generalize (word (firstn n xs)) as w.
        induction w as [|[l t] w IH]; intros b R1 R2; inversion R1; inversion R2; subst; auto. eapply IH; eauto. }
      subst s1. unfold trace_of. rewrite En. split.
      * apply maximal_after with (state_at k v); auto. apply (rounds_maximal _ (word (z :: r)) (state_at k v)); auto; [discriminate|constructor].
      * intros Sat. rewrite rounds_nil, rounds_after, <- after_app in Sat. apply behind_run in Sat.
        destruct V as [_ [_ Q]]. rewrite <- Q in Sat. revert Sat. apply round_right; auto. discriminate.
    + exists (state_at k v). split; auto. apply (gone_right (word xs) v); auto. split; auto.
Qed.
End Places.

(* The main theorem for properties that are no chains: what the checker accepts is true. *)
Theorem table_soundness m a c k y good bad x :
  check_table m a c k y good bad x = None -> true_table m a c k.
Proof.
  intros H. unfold check_table, counts_ok in H. rewrite !then_none, !want_none, !each_all, !each_iff in H.
  rewrite !andb_true_iff, Nat.ltb_lt, !Nat.eqb_eq, eqb_true_iff in H.
  destruct H as [Be [[[O1 O2] O3] [Or [Pl [In_ [Ix [Fa [Go [Ba [Ve [Cl [[C1 [C2 [C3 C4]]] [Wa Co]]]]]]]]]]]]].
  assert (O : origin y < amount k /\ state_at k (origin y) = initial m /\ q_at k (origin y) = start a) by auto.
  assert (IP : indexed (product m k y) everything (into y)).
  { apply index_iff. intros v [_ V]. apply In_. exact V. }
  apply index_iff in Ix.
  pose proof (table_states m a c k y O Or Pl IP Fa) as L.
  pose proof (table_class_right m a c k y O Or Pl IP Fa good bad Go Ba Cl) as K.
  assert (At : forall v, v < amount k -> at_place k v (state_at k v) (q_at k v)) by (intros; split; auto).
  constructor.
  - apply (table_begin m a Be).
  - apply (table_verdict_right m a c k y O Or Pl IP bad Ba Ve Be).
  - exact L.
  - intros s q. rewrite <- (places_right m a c k y O Or Pl IP Fa s q). split.
    + intros [v V]. apply (place_listed m a c k y O Or Pl v s q V).
    + intros Ls. apply (listed_place m a k y O) in Ls. eexists. exact Ls.
  - intros v V. split.
    + apply (place_run m a k y O Pl IP Fa _ v eq_refl V).
    + intros w R Q. destruct (run_place m a k y O Pl IP Fa _ w _ eq_refl R) as [u [[U [Us Uq]] D]].
      rewrite Q in Uq. replace v with u; auto. apply (same_place m a c k y O Or Pl); auto.
  - intros v V. apply (sat_right m a c k y O Or Pl IP good Go v _ _ (At v V)).
  - intros v V. apply (vio_right m a c k y O Or Pl IP bad Ba v _ _ (At v V)).
  - intros s i Hs Hi. apply K; auto. apply L. auto.
  - intros []; auto.
  - apply (sound_neighbourhoods m (maximal m) (property_of a) c x L K Ix (fun s => nearest k y s - ahead m)).
    + apply (table_distance m a c k y O Or Pl IP Fa).
    + destruct (Check.walk _ _ _ _ _ _ _); [discriminate|auto].
  - apply (table_counterexample m a c k y O Or Pl IP Fa good bad x Go Ba Cl Ix Co).
Qed.

(* What is claimed is the same in all certificates that are accepted, but for the counterexample, as it is true. *)
Theorem table_uniqueness m a c k c' k' : true_table m a c k -> true_table m a c' k' ->
  violated c = violated c' /\ (forall j, count c j = count c' j) /\
  (how c = how c' -> forall y, In y (neighbourhoods c) <-> In y (neighbourhoods c')) /\
  (forall s i, reachable m s -> i < degree m s -> class_of c s i = class_of c' s i) /\
  forall v, v < amount k -> exists v', v' < amount k' /\ state_at k' v' = state_at k v /\ q_at k' v' = q_at k v /\
    far k' v' = far k v /\ sat k' v' = sat k v /\ vio k' v' = vio k v.
Proof.
  intros T T'.
  assert (Cl : forall s i, reachable m s -> i < degree m s -> class_of c s i = class_of c' s i).
  { intros s i R Hi. apply (class_unique m (maximal m) (property_of a) c (t_states _ _ _ _ T) _ _ s (label m s i) (target m s i)).
    - apply (t_states _ _ _ _ T). auto.
    - apply step_edge. auto.
    - apply (t_class _ _ _ _ T); auto.
    - apply (t_class _ _ _ _ T'); auto. }
  assert (Eq : forall b b' (P : Prop), (b = true <-> P) -> (b' = true <-> P) -> b' = b).
  { intros b b' P H H'. destruct b, b'; auto; [apply H', H; auto|symmetry; apply H, H'; auto]. }
  split; [|split; [|split; [|split; [exact Cl|]]]].
  - pose proof (t_verdict _ _ _ _ T) as V. pose proof (t_verdict _ _ _ _ T') as V'.
    destruct (violated c), (violated c'); auto; exfalso.
    + destruct V as [b [r [B [M N]]]]. apply N. apply (V' b r B M).
    + destruct V' as [b [r [B [M N]]]]. apply N. apply (V b r B M).
  - intros j. rewrite (t_count _ _ _ _ T), (t_count _ _ _ _ T').
    apply (same_members m c c' (reachable m)); auto; [apply (t_states _ _ _ _ T)|apply (t_states _ _ _ _ T')].
  - intros H [[s j] d]. rewrite (t_neighbourhoods _ _ _ _ T), (t_neighbourhoods _ _ _ _ T'), H. tauto.
  - intros v V. destruct (proj1 (t_places _ _ _ _ T (state_at k v) (q_at k v)) (ex_intro _ v (conj V (conj eq_refl eq_refl)))) as [w W].
    destruct (proj2 (t_places _ _ _ _ T' (state_at k v) (q_at k v)) (ex_intro _ w W)) as [v' [V' [Es Eqq]]].
    exists v'. split; auto. split; auto. split; auto. split; [|split].
    + destruct (t_far _ _ _ _ T v V) as [[w1 [R1 [Q1 L1]]] B1]. destruct (t_far _ _ _ _ T' v' V') as [[w2 [R2 [Q2 L2]]] B2].
      rewrite Es, Eqq in *. specialize (B1 w2 R2 Q2). specialize (B2 w1 R1 Q1). lia.
    + apply (Eq _ _ _ (t_sat _ _ _ _ T v V)). rewrite <- Es, <- Eqq. apply (t_sat _ _ _ _ T' v' V').
    + apply (Eq _ _ _ (t_vio _ _ _ _ T v V)). rewrite <- Es, <- Eqq. apply (t_vio _ _ _ _ T' v' V').
Qed.
