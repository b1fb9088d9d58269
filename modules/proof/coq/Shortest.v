(* That no counterexample is shorter: what it means, evidence for it, a checker of that evidence, and its proof. *)
From Coq Require Import List Arith Lia Bool.
From InevProof Require Import Lts Chain Check Accept Sound.
Import ListNotations.

(* A run that violates the property: it goes round the loop v for ever behind w; if v is empty, it ends behind w. *)
Definition violating (m : lts) (p : chain) (w v : list (nat * nat)) : Prop :=
  exists s, run m (initial m) w s /\ run m s v s /\ (v = [] -> deadlock m s) /\ ~ satisfies p (after w (rounds v [])).

(* Each has at least so many transitions. *)
Definition no_shorter (m : lts) (p : chain) (bound : nat) : Prop :=
  forall w v, violating m p w v -> bound <= length w + length v.

(* A search from a head, in states that do not come before it, along transitions that do not do step s_done + 1. Its
   entries are states with their distances; the entry of state t is that numbered s_place t, if that is of t. *)
Record search := Search {
  s_head : nat; s_done : nat; s_size : nat; s_state : nat -> nat; s_far : nat -> nat; s_place : nat -> nat }.

(* The evidence: for each state and each progress below n the length of a shortest run to the state that makes no
   more progress, or the bound if that is no larger; and searches. *)
Record near_evidence := Near {
  soon : nat -> nat -> nat; searches : nat; search_at : nat -> search; search_of : nat -> nat -> nat }.

Section Check.
Variables (m : lts) (p : chain) (c : claims) (g : near_evidence) (x : index) (bound : nat).
Notation n := (steps p).

(* The largest progress that a run can have made if it has made at most j behind l *)
Definition room (j l : nat) : option nat :=
  if does p (S j) l then match j with 0 => None | S i => Some i end else Some j.

Definition soon_ok (s : nat) : bool :=
  all n (fun j =>
    let v := soon g s j in
    let brings f none := fun k => let u := source x s k in
      match room j (label m u (place x s k)) with Some i => f v (S (soon g u i)) | None => none end in
    if s =? initial m then v =? 0
    else (v <=? bound) && all (indegree x s) (brings Nat.leb true) && ((v =? bound) || any (indegree x s) (brings Nat.eqb false))).

Definition ends_ok (s : nat) : bool := negb (degree m s =? 0) || (bound <=? soon g s (n - 1)).

(* The order of states in which searches begin: t comes before w. *)
Definition earlier (j t w : nat) : bool :=
  (soon g t j <? soon g w j) || ((soon g t j =? soon g w j) && (t <? w)).

(* A loop that begins at w may come back from u by a transition labelled l. *)
Definition closes (j u l w : nat) : bool :=
  negb (bound <=? S (soon g u j)) && negb (does p (S j) l) && negb (earlier j u w).

Definition heads_ok (s : nat) : bool :=
  all n (fun j => all (degree m s) (fun i =>
    let w := target m s i in let r := search_of g w j in
    negb (closes j s (label m s i) w) ||
    ((r <? searches g) && (s_head (search_at g r) =? w) && (s_done (search_at g r) =? j)))).

Section Search.
Variable q : search.
Notation w := (s_head q).
Notation j := (s_done q).

Definition span (t : nat) : nat :=
  if t =? w then 0
  else let k := s_place q t in if (k <? s_size q) && (s_state q k =? t) then s_far q k else bound.

Definition onward_ok (t d : nat) : bool :=
  all (degree m t) (fun i =>
    let u := target m t i in
    does p (S j) (label m t i) ||
    (if u =? w then bound <=? soon g w j + S d
     else earlier j u w || (bound <=? soon g w j + S (S d)) || (span u <=? S d))).

Definition entry_right (k : nat) : bool :=
  let t := s_state q k in let d := s_far q k in
  (s_place q t =? k) && negb (t =? w) && negb (earlier j t w) && negb (bound <=? soon g w j + S d) &&
  any (indegree x t) (fun i => let u := source x t i in
    negb (does p (S j) (label m u (place x t i))) && (S (span u) =? d)) &&
  onward_ok t d.

Definition search_ok : bool :=
  (j <? n) && any (indegree x w) (fun i => let u := source x w i in closes j u (label m u (place x w i)) w) &&
  onward_ok w 0 && all (s_size q) entry_right.
End Search.

Definition near_ok : mistake :=
  each (size m) (listed c) AtSoon soon_ok ;;
  each (size m) (listed c) AtDeadlock ends_ok ;;
  each (size m) (listed c) AtHead heads_ok ;;
  match find_bad (searches g) 0 (fun r => search_ok (search_at g r)) with Some r => Some (AtSearch, r) | None => None end.
End Check.

Definition check_shortest (m : lts) (p : chain) (c : claims) (g : near_evidence) (x : index) : mistake :=
  match counterexample c with
  | None => Some (AtAbsent, 0)
  | Some (bound, _, _) => near_ok m p c g x bound
  end.

(* A loop that is gone round for ever does all steps, unless none of its labels does some step that is left. *)
Section Loops.
Variables (m : lts) (p : chain).
Notation n := (steps p).

Lemma contains_skip w r : forall i, contains p i r -> contains p i (after w r).
Proof. induction w as [|[l t] w IH]; simpl; intros i H; auto. apply contains_later. auto. Qed.

Lemma round_does v j y : In y v -> does p (S j) (fst y) = true -> contains p (S j) (rounds v []) -> contains p j (rounds v []).
Proof.
  intros I D H. destruct (in_split _ _ I) as [v1 [v2 E]].
  rewrite rounds_nil, rounds_after. rewrite E at 1. rewrite after_app. apply contains_skip.
  destruct y as [l t]. simpl in *. apply contains_step; auto. apply contains_skip. exact H.
Qed.

Lemma loop_stops v : forall k j, n <= k + j -> ~ contains p j (rounds v []) ->
  exists j', j <= j' /\ j' < n /\ forall y, In y v -> does p (S j') (fst y) = false.
Proof.
  induction k as [|k IH]; intros j K H.
  - exfalso. apply H. apply contains_done. lia.
  - destruct (Nat.le_gt_cases n j) as [G|G]; [exfalso; apply H; apply contains_done; lia|].
    destruct (existsb (fun y => does p (S j) (fst y)) v) eqn:E.
    + apply existsb_exists in E. destruct E as [y [I D]].
      destruct (IH (S j) ltac:(lia)) as [j' [A [B C]]].
      * intros F. apply H. eapply round_does; eauto.
      * exists j'. split; [lia|auto].
    + exists j. split; auto. split; auto. intros y I. destruct (does p (S j) (fst y)) eqn:D; auto.
      rewrite <- E. symmetry. apply existsb_exists. eauto.
Qed.
End Loops.

Section Proof.
Variables (m : lts) (p : chain) (c : claims) (g : near_evidence) (x : index) (bound : nat).
Notation n := (steps p).
Notation lists := (lists m (listed c)).
Hypothesis indexed_ : indexed m (listed c) x.
Hypothesis states : forall s, lists s <-> reachable m s.
Hypothesis ok : near_ok m p c g x bound = None.
Notation soon := (soon g).
Notation earlier := (earlier g).

Lemma ok_split : (forall s, lists s -> soon_ok m p g x bound s = true) /\ (forall s, lists s -> ends_ok m p g bound s = true) /\
  (forall s, lists s -> heads_ok m p g bound s = true) /\
  (forall r, r < searches g -> search_ok m p g x bound (search_at g r) = true).
Proof.
  unfold near_ok in ok. rewrite !then_none, !each_iff in ok. destruct ok as [A [B [C D]]]. repeat split; auto.
  destruct (find_bad _ _ _) eqn:E; [discriminate|]. rewrite find_bad_iff in E. intros r Hr. apply E. lia.
Qed.

Lemma listed_step s l t : lists s -> step m s l t -> lists t.
Proof.
  intros H St. apply states. apply states in H. destruct H as [w R]. exists (w ++ [(l, t)]).
  eapply run_app; eauto. apply run_one. auto.
Qed.

Lemma soon_initial j : j < n -> soon (initial m) j = 0.
Proof.
  intros J. assert (L : lists (initial m)) by (apply states; exists []; constructor).
  pose proof (proj1 ok_split _ L) as H. unfold soon_ok in H. rewrite all_iff in H. specialize (H j J). simpl in H.
  rewrite Nat.eqb_refl in H. apply Nat.eqb_eq. exact H.
Qed.

Lemma soon_step s l t j i : lists s -> step m s l t -> j < n -> room p j l = Some i -> soon t j <= S (soon s i).
Proof.
  intros L St J R. pose proof (listed_step _ _ _ L St) as L'.
  destruct (Nat.eq_dec t (initial m)) as [->|N]; [rewrite soon_initial; lia|].
  pose proof (proj1 ok_split _ L') as H. unfold soon_ok in H. rewrite all_iff in H. specialize (H j J). simpl in H.
  apply Nat.eqb_neq in N. rewrite N in H. rewrite !andb_true_iff, !all_iff in H. destruct H as [[_ H] _].
  destruct (entering m (listed c) x s l t indexed_ L St) as [k [K [E1 E2]]]. specialize (H k K). simpl in H.
  rewrite E1, E2, R in H. apply Nat.leb_le. exact H.
Qed.

Lemma soon_along s l t j : lists s -> step m s l t -> j < n -> does p (S j) l = false -> soon t j <= S (soon s j).
Proof. intros L St J D. eapply soon_step; eauto. unfold room. rewrite D. auto. Qed.

Lemma soon_run : forall k w s j, length w = k -> run m (initial m) w s -> progress p 0 w <= j -> j < n -> soon s j <= k.
Proof.
  induction k as [|k IH]; intros w s j E R P J.
  - destruct w; [|discriminate]. inversion R; subst. rewrite soon_initial; auto.
  - destruct (run_snoc _ _ _ _ R) as [[-> _]|[w' [l [u [-> [R' St]]]]]]; [discriminate|].
    rewrite app_length in E. simpl in E. rewrite progress_app in P. simpl in P.
    assert (L : lists u) by (apply states; exists w'; auto).
    assert (X : exists i, room p j l = Some i /\ i < n /\ progress p 0 w' <= i).
    { pose proof (adv_ge p (progress p 0 w') l) as G. unfold room. destruct (does p (S j) l) eqn:D; [|exists j; repeat split; auto; lia].
      assert (progress p 0 w' <> j).
      { intros F. rewrite F in P. unfold adv in P. apply Nat.ltb_lt in J. rewrite J, D in P. simpl in P. lia. }
      destruct j as [|i]; [lia|]. exists i. repeat split; auto; lia. }
    destruct X as [i [X1 [X2 X3]]]. pose proof (soon_step _ _ _ _ _ L St J X1).
    pose proof (IH w' u i ltac:(lia) R' X3 X2). lia.
Qed.

(* Some state of a list comes before all others. *)
Lemma earlier_least j (v : list (nat * nat)) : v <> [] -> exists y, In y v /\ forall z, In z v -> earlier j (snd z) (snd y) = false.
Proof.
  assert (T : forall a b d, earlier j b a = true -> earlier j d a = false -> earlier j d b = false).
  { intros a b d. unfold Shortest.earlier. rewrite !orb_true_iff, !orb_false_iff, !andb_true_iff, !andb_false_iff.
    rewrite ?Nat.ltb_lt, ?Nat.ltb_ge, ?Nat.eqb_eq, ?Nat.eqb_neq. lia. }
  assert (I : forall a, earlier j a a = false).
  { intros a. unfold Shortest.earlier. rewrite !Nat.ltb_irrefl. rewrite andb_false_r. auto. }
  assert (A : forall a b, earlier j a b = true -> earlier j b a = false).
  { intros a b. unfold Shortest.earlier. rewrite !orb_true_iff, !orb_false_iff, !andb_true_iff, !andb_false_iff.
    rewrite ?Nat.ltb_lt, ?Nat.ltb_ge, ?Nat.eqb_eq, ?Nat.eqb_neq. lia. }
  induction v as [|y v IH]; [congruence|]. intros _. destruct v as [|y' v'].
  - exists y. split; [left; auto|]. intros z [<-|[]]. apply I.
  - destruct IH as [b [B1 B2]]; [discriminate|]. destruct (earlier j (snd y) (snd b)) eqn:E.
    + exists y. split; [left; auto|]. intros z [<-|Hz]; [apply I|]. eapply T; eauto.
    + exists b. split; [right; auto|]. intros z [<-|Hz]; auto.
Qed.

Section Search.
Variable q : search.
Hypothesis q_ok : search_ok m p g x bound q = true.
Notation w := (s_head q).
Notation j := (s_done q).

Lemma onward t d : span bound q t = d -> d < bound \/ t = w -> onward_ok m p g bound q t d = true.
Proof.
  unfold search_ok in q_ok. rewrite !andb_true_iff, all_iff in q_ok. destruct q_ok as [[[_ _] H0] H].
  intros E G. unfold span in E. destruct (Nat.eqb_spec t w) as [->|N]; [subst d; auto|].
  destruct ((s_place q t <? s_size q) && (s_state q (s_place q t) =? t)) eqn:X; [|lia].
  rewrite andb_true_iff, Nat.ltb_lt, Nat.eqb_eq in X. destruct X as [X1 X2]. specialize (H _ X1).
  unfold entry_right in H. rewrite X2, E, !andb_true_iff in H. tauto.
Qed.

(* The rest of a loop from t back to w, which no state of it comes before *)
Lemma round_long v : forall t d, run m t v w -> v <> [] -> (forall y, In y v -> does p (S j) (fst y) = false) ->
  (forall y, In y v -> earlier j (snd y) w = false) -> span bound q t <= d -> bound <= soon w j + (d + length v).
Proof.
  induction v as [|[l u] v IH]; intros t d R N D F Sp; [congruence|]. simpl.
  inversion R as [|? ? ? ? ? St R']; subst.
  destruct (Nat.lt_ge_cases (span bound q t) bound) as [G|G]; [|lia].
  pose proof (onward t _ eq_refl (or_introl G)) as H. unfold onward_ok in H. rewrite all_iff in H.
  destruct St as [i [Hi [El Et]]]. specialize (H i Hi). simpl in H. rewrite El, Et in H.
  pose proof (D (l, u) (or_introl eq_refl)) as Dl. simpl in Dl. rewrite Dl in H. simpl in H.
  pose proof (F (l, u) (or_introl eq_refl)) as Fu. simpl in Fu. rewrite Fu in H. simpl in H.
  destruct (Nat.eqb_spec u w) as [->|Nu]; [apply Nat.leb_le in H; lia|].
  destruct v as [|y v]; [inversion R'; subst; congruence|].
  rewrite orb_true_iff, !Nat.leb_le in H. destruct H as [H|H]; [simpl; lia|].
  pose proof (IH u (S d) R' ltac:(discriminate) (fun z I => D z (or_intror I)) (fun z I => F z (or_intror I)) ltac:(lia)). lia.
Qed.
End Search.

Lemma lists_run s v t : lists s -> run m s v t -> lists t.
Proof. intros L R. induction R; auto. apply IHR. eapply listed_step; eauto. Qed.

Lemma soon_round j v : j < n -> forall s t, lists s -> run m s v t -> (forall y, In y v -> does p (S j) (fst y) = false) ->
  soon t j <= length v + soon s j.
Proof.
  intros J. induction v as [|[l u] v IH]; intros s t L R D; inversion R as [|? ? ? ? ? St R']; subst; simpl; auto.
  pose proof (soon_along _ _ _ _ L St J (D (l, u) (or_introl eq_refl))).
  pose proof (IH u t (listed_step _ _ _ L St) R' (fun y I => D y (or_intror I))). lia.
Qed.

Lemma loop_long j v t : j < n -> lists t -> run m t v t -> v <> [] -> (forall y, In y v -> does p (S j) (fst y) = false) ->
  (forall y, In y v -> earlier j (snd y) t = false) -> bound <= soon t j + length v.
Proof.
  intros J L R N D F. destruct (run_snoc _ _ _ _ R) as [[-> _]|[v' [l [u [E [R' St]]]]]]; [congruence|].
  assert (D' : forall y, In y v' -> does p (S j) (fst y) = false) by (intros y I; apply D; rewrite E; apply in_or_app; auto).
  pose proof (lists_run _ _ _ L R') as Lu. pose proof (soon_round j v' J t u L R' D') as B.
  assert (Ln : length v = S (length v')) by (rewrite E, app_length; simpl; lia).
  destruct (Nat.le_gt_cases bound (S (soon u j))) as [G|G]; [lia|].
  pose proof (proj1 (proj2 (proj2 ok_split)) u Lu) as H. unfold heads_ok in H. rewrite all_iff in H.
  specialize (H j J). simpl in H. rewrite all_iff in H. destruct St as [i [Hi [El Et]]]. specialize (H i Hi).
  simpl in H. rewrite El, Et in H.
  assert (C : closes p g bound j u l t = true).
  { unfold closes. rewrite !andb_true_iff, !negb_true_iff, Nat.leb_gt. split; [split; auto|].
    - apply (D (l, t)). rewrite E. apply in_or_app. right. left. auto.
    - destruct v' as [|y' v'']; [inversion R'; subst; unfold Shortest.earlier; rewrite !Nat.ltb_irrefl, andb_false_r; auto|].
      destruct (run_snoc _ _ _ _ R') as [[? _]|[v3 [l3 [u3 [E3 _]]]]]; [discriminate|].
      apply (F (l3, u)). rewrite E, E3. apply in_or_app. left. apply in_or_app. right. left. auto. }
  rewrite C in H. simpl in H. rewrite !andb_true_iff, Nat.ltb_lt, !Nat.eqb_eq in H. destruct H as [[H1 H2] H3].
  pose proof (proj2 (proj2 (proj2 ok_split)) _ H1) as Q.
  pose proof (round_long (search_at g (search_of g t j)) Q v t 0) as X. rewrite H2, H3 in X.
  specialize (X R N D F). simpl in X. apply X. unfold span. rewrite H2, Nat.eqb_refl. auto.
Qed.

Lemma near_right : no_shorter m p bound.
Proof.
  intros w v [s [R [Rv [E V]]]]. pose proof (proj2 (states s) (ex_intro _ w R)) as L.
  unfold satisfies in V. rewrite contains_after in V. destruct v as [|y v].
  - assert (P : progress p 0 w < n).
    { destruct (Nat.lt_ge_cases (progress p 0 w) n); auto. exfalso. apply V. apply contains_done. auto. }
    pose proof (proj1 (proj2 ok_split) s L) as H. unfold ends_ok in H. rewrite (E eq_refl) in H. simpl in H.
    apply Nat.leb_le in H. pose proof (soon_run _ w s (n - 1) eq_refl R ltac:(lia) ltac:(lia)). lia.
  - destruct (loop_stops p (y :: v) n (progress p 0 w) ltac:(lia) V) as [j [J1 [J2 D]]].
    destruct (earlier_least j (y :: v) ltac:(discriminate)) as [[l t] [I F]]. cbn [snd] in F.
    pose proof (soon_run _ w s j eq_refl R J1 J2) as B.
    destruct (in_split _ _ I) as [v1 [v2 Ev]]. rewrite Ev in Rv.
    replace (v1 ++ (l, t) :: v2) with ((v1 ++ [(l, t)]) ++ v2) in Rv by (rewrite <- app_assoc; auto).
    destruct (run_split _ _ _ _ _ Rv) as [t' [R1 R2]].
    assert (t' = t).
    { destruct (run_snoc _ _ _ _ R1) as [[X _]|[? [? [? [X _]]]]]; [destruct v1; discriminate|].
      apply app_inj_tail in X. destruct X as [_ X]. congruence. }
    subst t'. pose proof (run_app _ _ _ _ _ _ R2 R1) as Rt.
    assert (Same : forall z, In z (v2 ++ v1 ++ [(l, t)]) -> In z (y :: v)).
    { intros z. rewrite Ev, !in_app_iff. simpl. tauto. }
    assert (Lt : lists t) by (eapply lists_run; [exact L|exact R1]).
    pose proof (loop_long j (v2 ++ v1 ++ [(l, t)]) t J2 Lt Rt ltac:(destruct v2; [destruct v1; discriminate|discriminate])
      (fun z I => D z (Same z I)) (fun z I => F z (Same z I))) as X.
    assert (Ln : length (v2 ++ v1 ++ [(l, t)]) = length (y :: v)) by (rewrite Ev, !app_length; simpl; lia).
    assert (Fs : earlier j s t = false).
    { destruct (run_snoc _ _ _ _ Rv) as [[X' _]|[v3 [l3 [u3 [X' _]]]]]; [destruct v1; discriminate|].
      apply (F (l3, s)). rewrite Ev. replace (v1 ++ (l, t) :: v2) with ((v1 ++ [(l, t)]) ++ v2) by (rewrite <- app_assoc; auto).
      rewrite X'. apply in_or_app. right. left. auto. }
    unfold Shortest.earlier in Fs. rewrite orb_false_iff, Nat.ltb_ge in Fs. lia.
Qed.
End Proof.

(* If neither checker finds a mistake, no run that violates the property is shorter than the counterexample. *)
Theorem shortest_soundness m p c e g x : check m p c e x = None -> check_shortest m p c g x = None ->
  exists bound loop xs, counterexample c = Some (bound, loop, xs) /\ no_shorter m p bound.
Proof.
  intros H G. unfold check_shortest in G. destruct (counterexample c) as [[[bound loop] xs]|] eqn:E; [|discriminate].
  exists bound, loop, xs. split; auto. pose proof (soundness _ _ _ _ _ H) as T. rewrite check_accepts in H.
  eapply near_right; [apply H| |exact G]. intros s. unfold Accept.lists. apply (right_states _ _ _ _ _ T).
Qed.
