(* What the checker has found when it finds no mistake, as propositions. *)
From Coq Require Import List Arith Lia Bool.
From InevProof Require Import Lts Chain Check.
Import ListNotations.

Lemma all_from_iff f : forall n s, all_from n s f = true <-> forall i, s <= i < s + n -> f i = true.
Proof.
  induction n as [|n IH]; simpl; intros s; [split; auto; lia|].
  rewrite andb_true_iff, IH. split.
  - intros [A B] i Hi. destruct (Nat.eq_dec i s) as [->|]; auto. apply B. lia.
  - intros H. split; [apply H; lia|]. intros i Hi. apply H. lia.
Qed.

Lemma all_iff n f : all n f = true <-> forall i, i < n -> f i = true.
Proof.
  unfold all. rewrite all_from_iff. split; intros H i Hi; apply H; lia.
Qed.

Lemma any_from_iff f : forall n s, any_from n s f = true <-> exists i, s <= i < s + n /\ f i = true.
Proof.
  induction n as [|n IH]; simpl; intros s.
  - split; [discriminate|]. intros [i [Hi _]]. lia.
  - rewrite orb_true_iff, IH. split.
    + intros [A|[i [Hi A]]]; [exists s; split; auto; lia|exists i; split; auto; lia].
    + intros [i [Hi A]]. destruct (Nat.eq_dec i s) as [->|]; auto. right. exists i. split; auto. lia.
Qed.

Lemma any_iff n f : any n f = true <-> exists i, i < n /\ f i = true.
Proof.
  unfold any. rewrite any_from_iff. split; intros [i [Hi H]]; exists i; split; auto; lia.
Qed.

Lemma find_bad_iff f : forall n s, find_bad n s f = None <-> forall i, s <= i < s + n -> f i = true.
Proof.
  induction n as [|n IH]; simpl; intros s; [split; auto; lia|].
  destruct (f s) eqn:E.
  - rewrite IH. split; intros H i Hi; [destruct (Nat.eq_dec i s) as [->|]; auto; apply H; lia|apply H; lia].
  - split; [discriminate|]. intros H. rewrite H in E by lia. discriminate.
Qed.

Lemma size_of_length A (xs : list A) : forall acc, size_of xs acc = length xs + acc.
Proof. induction xs as [|a xs IH]; simpl; auto. intros. rewrite IH. lia. Qed.

Lemma same_iff a b : same a b = true <-> a = b.
Proof. destruct a, b; simpl; split; congruence. Qed.

Lemma same_kind_iff a b : same_kind a b = true <-> a = b.
Proof. destruct a, b; simpl; split; congruence. Qed.

Lemma one_more_iff k f v : one_more k f v = true <->
  (forall i d, i < k -> f i = Some d -> v <= S d) /\ (exists i d, i < k /\ f i = Some d /\ v = S d).
Proof.
  unfold one_more. rewrite andb_true_iff, all_iff, any_iff. split; intros [A B]; split.
  - intros i d Hi E. specialize (A i Hi). rewrite E in A. apply Nat.leb_le in A. exact A.
  - destruct B as [i [Hi B]]. destruct (f i) as [d|] eqn:E; [|discriminate].
    apply Nat.eqb_eq in B. exists i, d. auto.
  - intros i Hi. destruct (f i) as [d|] eqn:E; auto. apply Nat.leb_le. eauto.
  - destruct B as [i [d [Hi [E ->]]]]. exists i. split; auto. rewrite E. apply Nat.eqb_refl.
Qed.

Ltac split_bool := repeat rewrite ?andb_true_iff, ?Nat.ltb_lt, ?Nat.leb_le, ?Nat.eqb_eq in *.

Lemma then_none (a b : mistake) : (a ;; b) = None <-> a = None /\ b = None.
Proof. destruct a; split; [discriminate|intros [A _]; discriminate|auto|intros [_ B]; exact B]. Qed.

Lemma want_none (b : bool) (y : part * nat) : (want b else y) = None <-> b = true.
Proof. destruct b; split; congruence. Qed.

(* States among those that on picks *)
Definition lists (m : lts) (on : nat -> bool) (s : nat) : Prop := on s = true /\ s < size m.

Section Listed.
Variables (m : lts) (on : nat -> bool).
Notation lists := (lists m on).

Lemma each_iff at_ f : each (size m) on at_ f = None <-> forall s, lists s -> f s = true.
Proof.
  unfold each, Accept.lists. set (g := fun s => if on s then f s else true).
  transitivity (find_bad (size m) 0 g = None).
  - destruct (find_bad (size m) 0 g); split; congruence.
  - rewrite find_bad_iff. unfold g. split.
    + intros H s [A B]. specialize (H s ltac:(lia)). rewrite A in H. exact H.
    + intros H s B. destruct (on s) eqn:E; auto. apply H. split; auto. lia.
Qed.

Variable x : index.

(* The index is what it says. *)
Record indexed : Prop := {
  i_all : forall s i, lists s -> i < degree m s -> let t := target m s i in
    position x s i < indegree x t /\ source x t (position x s i) = s /\ place x t (position x s i) = i;
  i_only : forall s k, lists s -> k < indegree x s ->
    lists (source x s k) /\ place x s k < degree m (source x s k) /\
    target m (source x s k) (place x s k) = s }.

Lemma entering s l t : indexed -> lists s -> step m s l t ->
  exists k, k < indegree x t /\ source x t k = s /\ label m s (place x t k) = l.
Proof.
  intros X Hs [i [Hi [<- <-]]]. destruct (i_all X s i Hs Hi) as [A [B C]].
  exists (position x s i). rewrite C. auto.
Qed.

Lemma entered_by s k : indexed -> lists s -> k < indegree x s ->
  lists (source x s k) /\ step m (source x s k) (label m (source x s k) (place x s k)) s.
Proof.
  intros X Hs Hk. destruct (i_only X s k Hs Hk) as [A [B C]]. split; auto.
  exists (place x s k). auto.
Qed.

Lemma index_iff : (forall s, lists s -> index_ok m on x s = true) <-> indexed.
Proof.
  unfold index_ok. split.
  - intros H. split.
    + intros s i Hs Hi. specialize (H s Hs). split_bool. destruct H as [H _].
      rewrite all_iff in H. specialize (H i Hi). simpl in *. split_bool. tauto.
    + intros s k Hs Hk. specialize (H s Hs). split_bool. destruct H as [_ H].
      rewrite all_iff in H. specialize (H k Hk). simpl in H. split_bool. unfold Accept.lists. tauto.
  - intros X s Hs. split_bool. rewrite !all_iff. split.
    + intros i Hi. pose proof (i_all X s i Hs Hi). simpl in *. split_bool. tauto.
    + intros k Hk. pose proof (i_only X s k Hs Hk) as H. unfold Accept.lists in H. split_bool. tauto.
Qed.
End Listed.

Section Accepted.
Variables (m : lts) (p : chain) (c : claims) (e : evidence).
Notation n := (steps p).
Notation lists := (lists m (listed c)).

(* The conditions of certificate/verify. The equations are split: a value is no larger than what
   any transition brings, and some transition brings it. *)
Record prefixed : Prop := {
  a_initial : lists (initial m);
  a_range : forall s, lists s -> mp c s <= n;
  a_entry : forall s l t, lists s -> step m s l t ->
    lists t /\ adv p (mp c s) l <= mp c t /\ cp c t <= adv p (cp c s) l;
  a_first_0 : first e (initial m) 0 = 0;
  a_first_le : forall s l t j, lists s -> step m s l t -> j <= mp c t -> t <> initial m \/ j <> 0 ->
    before p j l <= mp c s -> first e t j <= S (first e s (before p j l));
  a_first_ex : forall t j, lists t -> j <= mp c t -> t <> initial m \/ j <> 0 ->
    exists s l, lists s /\ step m s l t /\ before p j l <= mp c s /\
      first e t j = S (first e s (before p j l));
  a_cp_0 : cp c (initial m) = 0;
  a_least_0 : least e (initial m) = 0;
  a_least_le : forall s l t, lists s -> step m s l t -> t <> initial m ->
    adv p (cp c s) l = cp c t -> least e t <= S (least e s);
  a_least_ex : forall t, lists t -> t <> initial m ->
    exists s l, lists s /\ step m s l t /\ adv p (cp c s) l = cp c t /\ least e t = S (least e s) }.

Record accepted : Prop := {
  a_prefixed :> prefixed;
  a_begin : begin_ok m p = true;
  a_ms_range : forall s, lists s -> ms c s <= n;
  a_ms_le : forall s l t, lists s -> step m s l t -> advS p (ms c t) l <= ms c s;
  a_next_le : forall s l t v, lists s -> step m s l t -> 0 < v -> v <= ms c s ->
    rest p v l <= ms c t -> next e s v <= S (next_ e t (rest p v l));
  a_next_ex : forall s v, lists s -> 0 < v -> v <= ms c s ->
    exists l t, step m s l t /\ rest p v l <= ms c t /\ next e s v = S (next_ e t (rest p v l));
  a_cs_range : forall s, lists s -> cs c s <= n;
  a_cs_end : forall s, lists s -> deadlock m s -> cs c s = 0;
  a_cs_le : forall s l t, lists s -> step m s l t -> cs c s <= advS p (cs c t) l;
  a_cs_ex : forall s, lists s -> ~ deadlock m s ->
    exists i, i < degree m s /\ cs c s = advS p (cs c (target m s i)) (label m s i);
  a_due_pos : forall s v, lists s -> 0 < v -> v <= cs c s -> 1 <= due e s v;
  a_due_le : forall s l t v, lists s -> step m s l t -> 0 < v -> v <= cs c s ->
    does p (S (n - v)) l = false -> S (due e t v) <= due e s v;
  a_due_ex : forall s v, lists s -> 0 < v -> v <= cs c s ->
    due e s v = 1 \/ exists l t, step m s l t /\ does p (S (n - v)) l = false /\ S (due e t v) = due e s v;
  a_verdict : violated c = negb (cs c (initial m) =? n);
  a_class : forall s i, lists s -> i < degree m s -> class_of c s i = class_at m p c s i;
  a_count : forall k, count c k = members m c k 0 }.

Variable x : index.
Notation indexed := (indexed m (listed c) x).

Definition checks_rest : mistake :=
  match walk m c x (fun s => first e s 0 - ahead m) (size m) 0 (neighbourhoods c) with Some s => Some (AtNeighbourhood, s) | None => None end ;;
  counterexample_ok m c x (initial m, 0) fst snd (go m p) (gone p c) (end_ok m p).

Definition states_ok : Prop :=
  begin_ok m p = true /\ (initial m < size m) /\ listed c (initial m) = true /\
  (forall s, lists s -> mp c s <= n) /\ (forall s, lists s -> entry_ok m p c s = true) /\
  (forall s, lists s -> first_ok m p c e x s = true) /\ (forall s, lists s -> least_ok m p c e x s = true) /\
  (forall s, lists s -> cs_ok m p c e s = true) /\ (forall s, lists s -> ms_ok m p c e s = true) /\
  violated c = negb (cs c (initial m) =? n) /\ (forall s, lists s -> class_ok m p c s = true) /\
  (forall k, count c k = members m c k 0).

Lemma check_iff : check m p c e x = None <-> indexed /\ states_ok /\ checks_rest = None.
Proof.
  unfold check, states_ok, checks_rest, counts_ok. repeat rewrite then_none. repeat rewrite want_none.
  rewrite !each_iff, index_iff, eqb_true_iff, andb_true_iff, !Nat.eqb_eq, Nat.ltb_lt.
  assert (Hr : (forall s, lists s -> (mp c s <=? n) = true) <-> (forall s, lists s -> mp c s <= n)).
  { split; intros H s Hs; specialize (H s Hs); apply Nat.leb_le; auto. }
  rewrite Hr.
  assert (Hk : (forall k, count c k = members m c k 0) <->
    count c Correct = members m c Correct 0 /\ count c Incorrect = members m c Incorrect 0 /\
    count c Neutral = members m c Neutral 0 /\ count c Excluded = members m c Excluded 0).
  { split; [auto|intros [A [B [C D]]] []; auto]. }
  rewrite Hk. tauto.
Qed.

Lemma prefixed_right : indexed -> initial m < size m -> listed c (initial m) = true ->
  (forall s, lists s -> mp c s <= n) -> (forall s, lists s -> entry_ok m p c s = true) ->
  (forall s, lists s -> first_ok m p c e x s = true) -> (forall s, lists s -> least_ok m p c e x s = true) -> prefixed.
Proof.
  intros X H0 H1 Hr He Hf Hl.
  assert (E : forall s l t, lists s -> step m s l t ->
    lists t /\ adv p (mp c s) l <= mp c t /\ cp c t <= adv p (cp c s) l).
  { intros s l t Hs [i [Hi [<- <-]]]. specialize (He s Hs). unfold entry_ok in He.
    rewrite all_iff in He. specialize (He i Hi). simpl in He. split_bool. unfold Accept.lists. tauto. }
  assert (F : forall s j, lists s -> j <= mp c s -> s <> initial m \/ j <> 0 ->
    one_more (indegree x s) (fun k =>
      let u := source x s k in let j' := before p j (label m u (place x s k)) in
      if j' <=? mp c u then Some (first e u j') else None) (first e s j) = true).
  { intros s j Hs Hj N. specialize (Hf s Hs). unfold first_ok in Hf. rewrite all_iff in Hf.
    specialize (Hf j ltac:(lia)). simpl in Hf.
    destruct (s =? initial m) eqn:E1; simpl in Hf; auto.
    destruct (j =? 0) eqn:E2; simpl in Hf; auto. split_bool. lia. }
  assert (G : forall s, lists s -> s <> initial m -> one_more (indegree x s) (fun k =>
      let u := source x s k in
      if adv p (cp c u) (label m u (place x s k)) =? cp c s then Some (least e u) else None) (least e s) = true).
  { intros s Hs N. specialize (Hl s Hs). unfold least_ok in Hl.
    destruct (s =? initial m) eqn:E1; auto. split_bool. lia. }
  assert (I0 : lists (initial m)) by (split; auto).
  constructor; auto.
  - specialize (Hf _ I0). unfold first_ok in Hf. rewrite all_iff in Hf. specialize (Hf 0 ltac:(lia)).
    simpl in Hf. rewrite Nat.eqb_refl in Hf. simpl in Hf. split_bool. auto.
  - intros s l t j Hs Ht Hj N Hb. destruct (E _ _ _ Hs Ht) as [Lt _].
    specialize (F t j Lt Hj N). apply one_more_iff in F. destruct F as [F _].
    destruct (entering _ _ _ s l t X Hs Ht) as [k [K1 [K2 K3]]]. apply (F k); auto. simpl.
    rewrite K2, K3. apply Nat.leb_le in Hb. rewrite Hb. auto.
  - intros t j Lt Hj N. specialize (F t j Lt Hj N). apply one_more_iff in F.
    destruct F as [_ [k [d [K [Fk ->]]]]]. destruct (entered_by _ _ _ t k X Lt K) as [Ls Hs]. simpl in Fk.
    destruct (_ <=? _) eqn:E1 in Fk; [|discriminate]. split_bool. inversion Fk; subst.
    eexists _, _. split; [exact Ls|]. split; [exact Hs|]. auto.
  - specialize (Hl _ I0). unfold least_ok in Hl. rewrite Nat.eqb_refl in Hl. split_bool. tauto.
  - specialize (Hl _ I0). unfold least_ok in Hl. rewrite Nat.eqb_refl in Hl. split_bool. tauto.
  - intros s l t Hs Ht N Hb. destruct (E _ _ _ Hs Ht) as [Lt _].
    specialize (G t Lt N). apply one_more_iff in G. destruct G as [G _].
    destruct (entering _ _ _ s l t X Hs Ht) as [k [K1 [K2 K3]]]. apply (G k); auto. simpl.
    rewrite K2, K3. apply Nat.eqb_eq in Hb. rewrite Hb. auto.
  - intros t Lt N. specialize (G t Lt N). apply one_more_iff in G.
    destruct G as [_ [k [d [K [Gk ->]]]]]. destruct (entered_by _ _ _ t k X Lt K) as [Ls Hs]. simpl in Gk.
    destruct (_ =? _) eqn:E1 in Gk; [|discriminate]. split_bool. inversion Gk; subst.
    eexists _, _. split; [exact Ls|]. split; [exact Hs|]. auto.
Qed.

Lemma accepted_iff : indexed -> (states_ok <-> accepted).
Proof.
  intros X. split.
  - intros [Hbe [H0 [H1 [Hr [He [Hf [Hl [Hc [Hm [Hv [Hk Hn]]]]]]]]]]].
    constructor; [apply prefixed_right; auto|..]; auto.
    + intros s Hs. specialize (Hm s Hs). unfold ms_ok in Hm. split_bool. tauto.
    + intros s l t Hs [i [Hi [<- <-]]]. specialize (Hm s Hs). unfold ms_ok in Hm. split_bool.
      destruct Hm as [[_ Hm] _]. rewrite all_iff in Hm. specialize (Hm i Hi). split_bool. auto.
    + intros s l t v Hs [i [Hi [<- <-]]] V1 V2 Hb. specialize (Hm s Hs). unfold ms_ok in Hm. split_bool.
      destruct Hm as [_ Hm]. rewrite all_iff in Hm. specialize (Hm (v - 1) ltac:(lia)). simpl in Hm.
      replace (S (v - 1)) with v in Hm by lia. apply one_more_iff in Hm. destruct Hm as [Hm _].
      apply (Hm i); auto. apply Nat.leb_le in Hb. rewrite Hb. auto.
    + intros s v Hs V1 V2. specialize (Hm s Hs). unfold ms_ok in Hm. split_bool.
      destruct Hm as [_ Hm]. rewrite all_iff in Hm. specialize (Hm (v - 1) ltac:(lia)). simpl in Hm.
      replace (S (v - 1)) with v in Hm by lia. apply one_more_iff in Hm.
      destruct Hm as [_ [i [d [Hi [Hd ->]]]]]. destruct (_ <=? _) eqn:E1 in Hd; [|discriminate].
      inversion Hd; subst. split_bool. exists (label m s i), (target m s i).
      split; auto. apply step_edge. auto.
    + intros s Hs. specialize (Hc s Hs). unfold cs_ok in Hc. destruct (degree m s =? 0); split_bool; [lia|tauto].
    + intros s Hs D. specialize (Hc s Hs). unfold cs_ok, deadlock in *. rewrite D in Hc. simpl in Hc. split_bool. auto.
    + intros s l t Hs [i [Hi [<- <-]]]. specialize (Hc s Hs). unfold cs_ok in Hc.
      destruct (degree m s =? 0) eqn:E1; split_bool; [lia|]. destruct Hc as [[[_ Hc] _] _].
      rewrite all_iff in Hc. specialize (Hc i Hi). split_bool. auto.
    + intros s Hs N. specialize (Hc s Hs). unfold cs_ok, deadlock in *. destruct (degree m s =? 0) eqn:E1; split_bool; [lia|].
      destruct Hc as [[_ Hc] _]. rewrite any_iff in Hc. destruct Hc as [i [Hi Hc]]. split_bool. eauto.
    + intros s v Hs V1 V2. specialize (Hc s Hs). unfold cs_ok in Hc. destruct (degree m s =? 0) eqn:E1; split_bool; [lia|].
      destruct Hc as [_ Hc]. rewrite all_iff in Hc. specialize (Hc (v - 1) ltac:(lia)). simpl in Hc.
      replace (S (v - 1)) with v in Hc by lia. destruct (due e s v); simpl in Hc; [discriminate|lia].
    + intros s l t v Hs [i [Hi [<- <-]]] V1 V2 D. specialize (Hc s Hs). unfold cs_ok in Hc. destruct (degree m s =? 0) eqn:E1; split_bool; [lia|].
      destruct Hc as [_ Hc]. rewrite all_iff in Hc. specialize (Hc (v - 1) ltac:(lia)).
      cbv zeta in Hc. replace (S (v - 1)) with v in Hc by lia. split_bool. destruct Hc as [[_ Hc] _].
      rewrite all_iff in Hc. specialize (Hc i Hi). rewrite D in Hc. apply Nat.leb_le. exact Hc.
    + intros s v Hs V1 V2. specialize (Hc s Hs). unfold cs_ok in Hc. destruct (degree m s =? 0) eqn:E1; split_bool; [lia|].
      destruct Hc as [_ Hc]. rewrite all_iff in Hc. specialize (Hc (v - 1) ltac:(lia)).
      cbv zeta in Hc. replace (S (v - 1)) with v in Hc by lia. split_bool. destruct Hc as [_ Hc].
      apply orb_true_iff in Hc. destruct Hc as [Hc|Hc]; split_bool; auto. right.
      rewrite any_iff in Hc. destruct Hc as [i [Hi Hc]]. split_bool. destruct Hc as [A B].
      exists (label m s i), (target m s i). split; [apply step_edge; auto|]. split; auto.
      destruct (does _ _ _); [discriminate|auto].
    + intros s i Hs Hi. specialize (Hk s Hs). unfold class_ok in Hk. rewrite all_iff in Hk.
      apply same_iff. auto.
  - intros A. destruct (a_initial A) as [I1 I2]. unfold states_ok. split; [apply (a_begin A)|]. split; [exact I2|]. split; [exact I1|].
    split; [apply (a_range A)|].
    split.
    { intros s Hs. unfold entry_ok. rewrite all_iff. intros i Hi. cbv zeta.
      destruct (a_entry A s _ _ Hs (step_edge m s i Hi)) as [[B1 B2] [B3 B4]]. split_bool. auto. }
    split.
    { intros s Hs. unfold first_ok. rewrite all_iff. intros j Hj.
      destruct ((s =? initial m) && (j =? 0)) eqn:E1.
      - split_bool. destruct E1 as [-> ->]. apply (a_first_0 A).
      - assert (N : s <> initial m \/ j <> 0).
        { apply andb_false_iff in E1. rewrite !Nat.eqb_neq in E1. exact E1. }
        apply one_more_iff. split.
        + intros k d Hk Hd. destruct (entered_by _ _ _ s k X Hs Hk) as [Ls Ht]. cbv zeta in Hd.
          destruct (_ <=? _) eqn:E2 in Hd; [|discriminate]. inversion Hd; subst. split_bool.
          apply (a_first_le A) with (l := label m (source x s k) (place x s k)); auto. lia.
        + destruct (a_first_ex A s j Hs ltac:(lia) N) as [u [l [Lu [Hu [B ->]]]]].
          destruct (entering _ _ _ u l s X Lu Hu) as [k [K1 [K2 K3]]]. exists k. eexists. split; [exact K1|].
          cbv zeta. rewrite K2, K3. apply Nat.leb_le in B. rewrite B. auto. }
    split.
    { intros s Hs. unfold least_ok. destruct (s =? initial m) eqn:E1.
      - split_bool. subst. rewrite (a_cp_0 A), (a_least_0 A). auto.
      - apply Nat.eqb_neq in E1. apply one_more_iff. split.
        + intros k d Hk Hd. destruct (entered_by _ _ _ s k X Hs Hk) as [Ls Ht]. cbv zeta in Hd.
          destruct (_ =? _) eqn:E2 in Hd; [|discriminate]. inversion Hd; subst. split_bool.
          apply (a_least_le A) with (l := label m (source x s k) (place x s k)); auto.
        + destruct (a_least_ex A s Hs E1) as [u [l [Lu [Hu [B ->]]]]].
          destruct (entering _ _ _ u l s X Lu Hu) as [k [K1 [K2 K3]]]. exists k. eexists. split; [exact K1|].
          cbv zeta. rewrite K2, K3. apply Nat.eqb_eq in B. rewrite B. auto. }
    split.
    { intros s Hs. unfold cs_ok. destruct (degree m s =? 0) eqn:E1.
      - split_bool. apply (a_cs_end A); auto.
      - split_bool. repeat split.
        + apply (a_cs_range A); auto.
        + apply all_iff. intros i Hi. split_bool. apply (a_cs_le A); auto. apply step_edge. auto.
        + apply any_iff. apply Nat.eqb_neq in E1. destruct (a_cs_ex A s Hs E1) as [i [Hi ->]].
          exists i. split; auto. apply Nat.eqb_refl.
        + apply all_iff. intros v Hv. cbv zeta. split_bool. repeat split.
          * apply (a_due_pos A); auto; lia.
          * apply all_iff. intros i Hi. apply orb_true_iff. split_bool.
            destruct (does p (S (n - S v)) (label m s i)) eqn:D; auto. right.
            apply (a_due_le A) with (l := label m s i); auto; try lia. apply step_edge. auto.
          * apply orb_true_iff. split_bool. destruct (a_due_ex A s (S v) Hs ltac:(lia) ltac:(lia)) as [D|D]; auto.
            right. destruct D as [l [t [[i [Hi [<- <-]]] [D1 D2]]]]. apply any_iff. exists i. split; auto.
            rewrite D1, D2. apply Nat.eqb_refl. }
    split.
    { intros s Hs. unfold ms_ok. split_bool. repeat split.
      - apply (a_ms_range A); auto.
      - apply all_iff. intros i Hi. split_bool. apply (a_ms_le A); auto. apply step_edge. auto.
      - apply all_iff. intros v Hv. cbv zeta. apply one_more_iff. split.
        + intros i d Hi Hd. destruct (_ <=? _) eqn:E2 in Hd; [|discriminate]. inversion Hd; subst. split_bool.
          apply (a_next_le A) with (l := label m s i); auto; try lia. apply step_edge. auto.
        + destruct (a_next_ex A s (S v) Hs ltac:(lia) ltac:(lia)) as [l [t [[i [Hi [<- <-]]] [B ->]]]].
          exists i. eexists. split; [exact Hi|]. apply Nat.leb_le in B. rewrite B. auto. }
    split; [apply (a_verdict A)|]. split.
    { intros s Hs. unfold class_ok. apply all_iff. intros i Hi. apply same_iff. apply (a_class A); auto. }
    apply (a_count A).
Qed.

Theorem check_accepts : check m p c e x = None <-> indexed /\ accepted /\ checks_rest = None.
Proof.
  rewrite check_iff. split; intros [X [A R]]; split; auto; split; auto; apply (accepted_iff X); auto.
Qed.
End Accepted.
