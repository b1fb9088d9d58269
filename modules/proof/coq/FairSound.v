(* Soundness under assumptions: where the checker finds no mistake, all claims are true of the runs that count. *)
From Coq Require Import List Arith Lia Bool Wf_nat Classical_Prop.
From InevProof Require Import Lts Chain Check Accept Class Sound Fair FairCheck.
Import ListNotations.

Section FairSound.
Variables (m : lts) (p : chain) (f : assumption) (c : claims) (e : evidence) (g : fair_evidence) (x : index).
Notation n := (steps p).
Notation lists := (lists m (listed c)).
Notation counts := (counts m f).
Hypothesis Finite : finite m.
Hypothesis A : prefixed m p c e.
Hypothesis X : indexed m (listed c) x.
Hypothesis Suffix : forall s, lists s -> suffix_ok m p c e g s = true.
Hypothesis Home : forall s, lists s -> home_ok m p f c g x s = true.
Hypothesis Task : forall s, lists s -> tasks_ok m p f c g s = true.
Hypothesis Settle : forall s, lists s -> settle_ok m p f c g s = true.
Hypothesis Sets : forall a, a < sets g -> set_ok g a = true.
Hypothesis Due : forall s, lists s -> due_ok m p f c e g s = true.

Lemma onward_listed s l t : lists s -> step m s l t -> lists t.
Proof. intros L H. apply (a_entry _ _ _ _ A s l t L H). Qed.

(* States that are not admitted *)

Lemma outcast s : lists s -> adm g s = false -> ~ deadlock m s /\ forall l t, step m s l t -> adm g t = false.
Proof.
  intros L N. pose proof (Suffix s L) as H. unfold suffix_ok in H. rewrite N in H. unfold outcast_ok in H.
  repeat rewrite andb_true_iff in H. destruct H as [[[[[D _] _] _] _] H]. rewrite all_iff in H. split.
  - unfold deadlock. intros E. rewrite E in D. discriminate.
  - intros l t [i [Hi [_ <-]]]. specialize (H i Hi). destruct (adm g (target m s i)); auto.
Qed.

Lemma cs_right s : lists s -> adm g s = true -> cs c s <= n /\ (deadlock m s -> cs c s = 0) /\
  forall l t, step m s l t -> adm g t = true -> cs c s <= advS p (cs c t) l.
Proof.
  intros L Y. pose proof (Suffix s L) as H. unfold suffix_ok in H. rewrite Y in H. apply andb_true_iff in H. destruct H as [H _].
  unfold fair_cs_ok in H. destruct (degree m s =? 0) eqn:D.
  - split_bool. split; [lia|]. split; [auto|]. intros l t [i [Hi _]]. lia.
  - apply Nat.eqb_neq in D. split_bool. destruct H as [[H1 H2] _]. split; auto. split; [unfold deadlock; lia|].
    intros l t [i [Hi [<- <-]]] At. rewrite all_iff in H2. specialize (H2 i Hi). rewrite At in H2. simpl in H2. apply Nat.leb_le. exact H2.
Qed.

Lemma ms_right s : lists s -> adm g s = true -> ms c s <= n /\
  (forall l t, step m s l t -> adm g t = true -> advS p (ms c t) l <= ms c s) /\
  (forall v, 0 < v -> v <= ms c s -> exists l t, step m s l t /\ adm g t = true /\ rest p v l <= ms c t /\ next e s v = S (next_ e t (rest p v l))).
Proof.
  intros L Y. pose proof (Suffix s L) as H. unfold suffix_ok in H. rewrite Y in H. apply andb_true_iff in H. destruct H as [_ H].
  unfold fair_ms_ok in H. split_bool. destruct H as [[H1 H2] H3]. split; auto. split.
  - intros l t [i [Hi [<- <-]]] At. rewrite all_iff in H2. specialize (H2 i Hi). rewrite At in H2. simpl in H2. apply Nat.leb_le. exact H2.
  - intros v V W. rewrite all_iff in H3. specialize (H3 (v - 1) ltac:(lia)). cbv zeta in H3. replace (S (v - 1)) with v in H3 by lia.
    apply one_more_iff in H3. destruct H3 as [_ [i [d [Hi [E ->]]]]].
    destruct (adm g (target m s i) && _) eqn:F in E; [|discriminate]. inversion E; subst. apply andb_true_iff in F. destruct F as [F1 F2].
    exists (label m s i), (target m s i). split; [apply step_edge; auto|]. split; auto. split; [apply Nat.leb_le; auto|auto].
Qed.

(* A run cannot go on for ever without step n-v+1 and count; nor from states that are not admitted. *)

Definition goes (v s l t : nat) : Prop :=
  step m s l t /\ is_rare f l = false /\ (adm g s = true -> adm g t = true /\ does p (S (n - v)) l = false).
Definition here (v s : nat) : Prop := lists s /\ 0 < v /\ v <= levels c g s.

Lemma goes_on_iff v s i : i < degree m s -> goes_on m p f g v s i = true <-> goes v s (label m s i) (target m s i).
Proof.
  intros Hi. unfold goes_on, goes. rewrite andb_true_iff, negb_true_iff. split.
  - intros [R H]. split; [apply step_edge; auto|]. split; auto. intros Y. rewrite Y in H.
    rewrite andb_true_iff, negb_true_iff in H. exact H.
  - intros [_ [R H]]. split; auto. destruct (adm g s); auto. rewrite andb_true_iff, negb_true_iff. auto.
Qed.

Lemma parent_less a : 0 < a -> a <= sets g -> parent g a < a.
Proof.
  intros P Q. pose proof (Sets (a - 1) ltac:(lia)) as H. unfold set_ok in H. replace (S (a - 1)) with a in H by lia.
  apply andb_true_iff in H. apply Nat.ltb_lt. apply H.
Qed.
Lemma parent_strong a : 0 < a -> a <= sets g -> parent g a = 0 \/ weak_set g (parent g a) = false.
Proof.
  intros P Q. pose proof (Sets (a - 1) ltac:(lia)) as H. unfold set_ok in H. replace (S (a - 1)) with a in H by lia.
  apply andb_true_iff in H. destruct H as [_ H]. apply orb_true_iff in H. rewrite Nat.eqb_eq, negb_true_iff in H. exact H.
Qed.

Notation up := (up (parent g)).
Lemma up_out i a : up i (above (parent g) a) = up (S i) a.
Proof. replace (S i) with (i + 1) by lia. rewrite <- up_add. reflexivity. Qed.
Lemma up_0 i : up i 0 = 0.
Proof. induction i as [|i IH]; simpl; auto. rewrite IH. auto. Qed.

(* The set in which a and b meet, and how they come to it *)
Lemma meet_right : forall fuel a b below other, a <= sets g -> b <= sets g -> a + b < fuel ->
  exists z i j, up i a = z /\ up j b = z /\ z <= a /\ z <= b /\
    (forall y i' j', up i' a = y -> up j' b = y -> exists k, up k z = y) /\
    meet g fuel a b below other = (z, match i with 0 => below | S i' => up i' a end, match j with 0 => other | S j' => up j' b end) /\
    (i <> 0 -> 0 < up (i - 1) a) /\ (j <> 0 -> 0 < up (j - 1) b).
Proof.
  induction fuel as [|fuel IH]; intros a b below other Ha Hb F; [lia|]. simpl.
  destruct (Nat.eqb_spec a b) as [->|N].
  - exists b, 0, 0. simpl. repeat split; auto; try lia. intros y i' _ E _. eauto.
  - destruct (Nat.ltb_spec b a) as [Lt|Ge].
    + pose proof (parent_less a ltac:(lia) Ha) as Pa. assert (Ab : above (parent g) a = parent g a) by (destruct a; [lia|auto]).
      destruct (IH (parent g a) b a other ltac:(lia) Hb ltac:(lia)) as [z [i [j [E1 [E2 [Z1 [Z2 [Y [M [Pi Pj]]]]]]]]]].
      exists z, (S i), j. split; [rewrite <- up_out, Ab; auto|]. split; auto. split; [lia|]. split; auto. split.
      * intros y i' j' Ei Ej. destruct i' as [|i'].
        -- exfalso. simpl in Ei. pose proof (up_le (sets g) (parent g) parent_less b Hb j'). lia.
        -- rewrite <- up_out, Ab in Ei. apply (Y y i' j'); auto.
      * split; [|split; auto].
        -- rewrite M. f_equal. f_equal. destruct i as [|i]; simpl; auto.
           pose proof (up_out i a) as U. rewrite Ab in U. simpl in U. auto.
        -- intros _. replace (S i - 1) with i by lia. destruct i as [|i]; [simpl; lia|].
           rewrite <- up_out, Ab. specialize (Pi ltac:(lia)). replace (S i - 1) with i in Pi by lia. exact Pi.
    + pose proof (parent_less b ltac:(lia) Hb) as Pb. assert (Ab : above (parent g) b = parent g b) by (destruct b; [lia|auto]).
      destruct (IH a (parent g b) below b Ha ltac:(lia) ltac:(lia)) as [z [i [j [E1 [E2 [Z1 [Z2 [Y [M [Pi Pj]]]]]]]]]].
      exists z, i, (S j). split; auto. split; [rewrite <- up_out, Ab; auto|]. split; auto. split; [lia|]. split.
      * intros y i' j' Ei Ej. destruct j' as [|j'].
        -- exfalso. simpl in Ej. pose proof (up_le (sets g) (parent g) parent_less a Ha i'). lia.
        -- rewrite <- up_out, Ab in Ej. apply (Y y i' j'); auto.
      * split; [|split; auto].
        -- rewrite M. f_equal. destruct j as [|j]; simpl; auto.
           pose proof (up_out j b) as U. rewrite Ab in U. simpl in U. auto.
        -- intros _. replace (S j - 1) with j by lia. destruct j as [|j]; [simpl; lia|].
           rewrite <- up_out, Ab. specialize (Pj ltac:(lia)). replace (S j - 1) with j in Pj by lia. exact Pj.
Qed.

(* Of the sets that have a state, just one lies directly in z. *)
Lemma child_unique w z i j : w <= sets g -> 0 < up i w -> 0 < up j w ->
  parent g (up i w) = z -> parent g (up j w) = z -> up i w = up j w.
Proof.
  assert (G : forall i j, i <= j -> w <= sets g -> 0 < up i w -> 0 < up j w ->
    parent g (up i w) = z -> parent g (up j w) = z -> up i w = up j w).
  { intros i0 j0 Le W P Q Ei Ej. destruct (Nat.eq_dec i0 j0) as [->|N]; auto. exfalso.
    replace j0 with ((j0 - i0 - 1) + S i0) in * by lia. rewrite <- up_add in *. simpl in *.
    pose proof (up_le (sets g) (parent g) parent_less w W i0) as Li.
    destruct (up i0 w) as [|b] eqn:Eb; [lia|]. simpl in *. rewrite Ei in *.
    pose proof (parent_less (S b) ltac:(lia) ltac:(lia)) as Pb. rewrite Ei in Pb.
    pose proof (up_le (sets g) (parent g) parent_less z ltac:(lia) (j0 - i0 - 1)) as Lz.
    pose proof (parent_less _ Q ltac:(lia)). lia. }
  intros W P Q Ei Ej. destruct (Nat.le_ge_cases i j); [apply G|symmetry; apply G]; auto.
Qed.

Section Rank.
Variable v : nat.
Hypothesis by_tasks : full f = false.
Notation w_ := (fun s => within g s v).
Notation r_ := (fun s => due e s v).

Lemma rank_right s : here v s -> rank_ok m p f e g v s = true.
Proof.
  intros [L [V W]]. pose proof (Due s L) as H. unfold due_ok in H. rewrite all_iff in H. specialize (H (v - 1) ltac:(lia)).
  cbv zeta in H. replace (S (v - 1)) with v in H by lia. rewrite by_tasks in H. exact H.
Qed.

Lemma here_within s : here v s -> w_ s <= sets g.
Proof. intros H. apply rank_right in H. unfold rank_ok in H. cbv zeta in H. rewrite !andb_true_iff, Nat.leb_le in H. apply H. Qed.

Lemma rank_step s l t : here v s -> here v t -> goes v s l t ->
  exists i, i < degree m s /\ label m s i = l /\ target m s i = t /\
  let '(common, below, other) := meet g (S (w_ s + w_ t)) (w_ s) (w_ t) 0 0 in
    fair_within m f g (S common) common s i = true /\
    ((below = 0 /\ r_ s = 0) \/ (if other =? 0 then r_ t else set_rank g other) < (if below =? 0 then r_ s else set_rank g below)).
Proof.
  intros Hs Ht [[i [Hi [El Et]]] G]. exists i. split; auto. split; auto. split; auto.
  pose proof (rank_right s Hs) as H. unfold rank_ok in H. cbv zeta in H. rewrite !andb_true_iff in H. destruct H as [_ H].
  rewrite all_iff in H. specialize (H i Hi). rewrite (proj2 (goes_on_iff v s i Hi)) in H.
  - simpl negb in H. cbv iota in H. rewrite orb_false_l in H. rewrite Et in H.
    destruct (meet _ _ _ _ _ _) as [[z below] other]. rewrite andb_true_iff, orb_true_iff, andb_true_iff, !Nat.eqb_eq, Nat.ltb_lt in H. exact H.
  - rewrite El, Et. split; auto. exists i. auto.
Qed.

Lemma fair_within_right : forall fuel a s i, a <= sets g -> fair_within m f g fuel a s i = true ->
  forall y k, up y a <> 0 -> neglected_by f g (up y a) k = true -> ~ takes f k s (label m s i) (target m s i).
Proof.
  induction fuel as [|fuel IH]; intros a s i Ha H y k Ny N [T1 T2]; simpl in H; [discriminate|].
  destruct (Nat.eqb_spec a 0) as [->|Na]; [rewrite up_0 in Ny; auto|].
  apply andb_true_iff in H. destruct H as [H1 H2]. destruct y as [|y].
  - simpl in N. rewrite forallb_forall in H1. specialize (H1 k T1). rewrite N, andb_true_r in H1. unfold belongs in H1.
    destruct (nonstuttering f k) eqn:Ns; simpl in H1; [|discriminate].
    destruct (Nat.eqb_spec (target m s i) s) as [Es|]; simpl in H1; [|discriminate]. apply (T2 eq_refl). auto.
  - rewrite <- up_out in Ny, N. assert (Ab : above (parent g) a = parent g a) by (destruct a; [lia|auto]). rewrite Ab in Ny, N.
    pose proof (parent_less a ltac:(lia) Ha). apply (IH (parent g a) s i ltac:(lia) H2 y k Ny N). split; auto.
Qed.

Lemma no_fair_walk r : (forall i, here v (place r i) /\ goes v (place r i) (taking r i) (place r (S i))) -> ~ fair m f r.
Proof.
  intros R. apply (not_fair m f by_tasks (sets g) (parent g) (w_) (r_) (set_rank g) (neglected_by f g) parent_less (here v) (goes v)); auto.
  - intros s H. split; [apply H|apply here_within; auto].
  - (* neglected *)
    intros s l t a k Hs Ht G [i Ei] [j Ej] Pa N. destruct (rank_step s l t Hs Ht G) as [o [Ho [<- [<- H]]]].
    destruct (meet_right (S (w_ s + w_ (target m s o))) (w_ s) (w_ (target m s o)) 0 0 (here_within _ Hs) (here_within _ Ht) ltac:(lia))
      as [z [i' [j' [E1 [E2 [Z1 [Z2 [Y [M _]]]]]]]]].
    rewrite M in H. destruct H as [H _]. destruct (Y a i j Ei Ej) as [y <-].
    apply (fair_within_right (S z) z s o) with (y := y); auto; [|lia]. pose proof (here_within _ Hs). lia.
  - (* falls *)
    intros s l t a q q' Hs Ht G Q Q'. destruct (rank_step s l t Hs Ht G) as [o [Ho [<- [<- H]]]].
    pose proof (here_within _ Hs) as Ws. pose proof (here_within _ Ht) as Wt.
    destruct (meet_right (S (w_ s + w_ (target m s o))) (w_ s) (w_ (target m s o)) 0 0 Ws Wt ltac:(lia))
      as [z [i [j [E1 [E2 [Z1 [Z2 [Y [M [Pi Pj]]]]]]]]]].
    rewrite M in H. destruct H as [_ H].
    assert (La : exists i', up i' (w_ s) = a).
    { destruct q; simpl in Q; [exists 0; apply Q|]. destruct Q as [Pb [<- [i' Ei]]]. exists (S i'). simpl. rewrite Ei. destruct b; [lia|auto]. }
    assert (Lb : exists j', up j' (w_ (target m s o)) = a).
    { destruct q'; simpl in Q'; [exists 0; apply Q'|]. destruct Q' as [Pb [<- [i' Ei]]]. exists (S i'). simpl. rewrite Ei. destruct b; [lia|auto]. }
    destruct La as [ia Eia]. destruct Lb as [ja Eja]. destruct (Y a ia ja Eia Eja) as [y Ey].
    destruct (Nat.eq_dec a z) as [->|Na].
    + right.
      assert (Q1 : match i with 0 => q = State s | S i' => q = Set_ (up i' (w_ s)) end).
      { destruct i as [|i]; destruct q as [s'|b]; simpl in Q.
        - destruct Q as [-> _]. auto.
        - exfalso. destruct Q as [Pb [Eb [u Eu]]]. simpl in E1. pose proof (up_le (sets g) (parent g) parent_less _ Ws u) as Le.
          simpl in Le. pose proof (parent_less b Pb ltac:(lia)). lia.
        - exfalso. destruct Q as [_ Eb]. simpl in E1. specialize (Pi ltac:(lia)). replace (S i - 1) with i in Pi by lia.
          pose proof (up_le (sets g) (parent g) parent_less _ Ws i) as Le. simpl in Le.
          destruct (up i (within g s v)) as [|b] eqn:Eu; [lia|]. simpl in E1. pose proof (parent_less (S b) ltac:(lia) ltac:(lia)). lia.
        - f_equal. destruct Q as [Pb [Eb [u Eu]]]. specialize (Pi ltac:(lia)). replace (S i - 1) with i in Pi by lia. rewrite <- Eu.
          apply (child_unique _ z); auto; [rewrite Eu; auto|rewrite Eu; auto|].
          simpl in E1. destruct (up i (within g s v)) eqn:Eu'; [lia|]. exact E1. }
      assert (Q2 : match j with 0 => q' = State (target m s o) | S j' => q' = Set_ (up j' (w_ (target m s o))) end).
      { destruct j as [|j]; destruct q' as [s'|b]; simpl in Q'.
        - destruct Q' as [-> _]. auto.
        - exfalso. destruct Q' as [Pb [Eb [u Eu]]]. simpl in E2. pose proof (up_le (sets g) (parent g) parent_less _ Wt u) as Le.
          simpl in Le. pose proof (parent_less b Pb ltac:(lia)). lia.
        - exfalso. destruct Q' as [_ Eb]. simpl in E2. specialize (Pj ltac:(lia)). replace (S j - 1) with j in Pj by lia.
          pose proof (up_le (sets g) (parent g) parent_less _ Wt j) as Le. simpl in Le.
          destruct (up j (within g (target m s o) v)) as [|b] eqn:Eu; [lia|]. simpl in E2. pose proof (parent_less (S b) ltac:(lia) ltac:(lia)). lia.
        - f_equal. destruct Q' as [Pb [Eb [u Eu]]]. specialize (Pj ltac:(lia)). replace (S j - 1) with j in Pj by lia. rewrite <- Eu.
          apply (child_unique _ z); auto; [rewrite Eu; auto|rewrite Eu; auto|].
          simpl in E2. destruct (up j (within g (target m s o) v)) eqn:Eu'; [lia|]. exact E2. }
      assert (R1 : rank_of (r_) (set_rank g) q = (if match i with 0 => 0 | S i' => up i' (w_ s) end =? 0 then r_ s else set_rank g (match i with 0 => 0 | S i' => up i' (w_ s) end))).
      { destruct i as [|i]; subst q; simpl; auto. specialize (Pi ltac:(lia)). replace (S i - 1) with i in Pi by lia. simpl in Pi.
        destruct (up i (within g s v)) eqn:Eu; [lia|]. auto. }
      assert (R2 : rank_of (r_) (set_rank g) q' = (if match j with 0 => 0 | S j' => up j' (w_ (target m s o)) end =? 0 then r_ (target m s o) else set_rank g (match j with 0 => 0 | S j' => up j' (w_ (target m s o)) end))).
      { destruct j as [|j]; subst q'; simpl; auto. specialize (Pj ltac:(lia)). replace (S j - 1) with j in Pj by lia. simpl in Pj.
        destruct (up j (within g (target m s o) v)) eqn:Eu; [lia|]. auto. }
      destruct H as [[B0 Z0]|Lt]; [right|left; rewrite R1, R2; exact Lt].
      destruct i as [|i]; [auto|]. exfalso. specialize (Pi ltac:(lia)). replace (S i - 1) with i in Pi by lia. simpl in Pi, B0. lia.
    + left.
      (* The set in a that has z *)
      assert (K : exists k, 0 < up k z /\ above (parent g) (up k z) = a).
      { clear -Ey Na. induction y as [|y IH]; [simpl in Ey; congruence|]. destruct (Nat.eq_dec (up y z) a) as [E|E]; [auto|].
        exists y. simpl in Ey. split; auto. destruct (up y z); [simpl in Ey; congruence|lia]. }
      destruct K as [k [Pk Ek]]. assert (Pz : parent g (up k z) = a) by (destruct (up k z); [lia|auto]).
      assert (Same : forall s q, w_ s <= sets g -> (exists i, up i (w_ s) = z) -> part_in (parent g) (w_) a s q -> q = Set_ (up k z)).
      { intros u qu Wu [i' Ei'] Qu. rewrite <- Ei', up_add in *. destruct qu as [u'|b]; simpl in Qu.
        - exfalso. destruct Qu as [_ Ea]. pose proof (up_le (sets g) (parent g) parent_less _ Wu (k + i')) as Le. simpl in Le.
          pose proof (parent_less _ Pk ltac:(lia)). lia.
        - f_equal. destruct Qu as [Pb [Eb [u' Eu']]]. rewrite <- Eu'. apply (child_unique _ a); auto; rewrite Eu'; auto. }
      exists (up k z). split; [apply (Same s)|apply (Same (target m s o))]; eauto.
  - (* zero *)
    intros s Hs Z. pose proof (rank_right s Hs) as H. unfold rank_ok in H. cbv zeta in H. rewrite !andb_true_iff in H.
    destruct H as [[_ H] _]. rewrite Z in H. simpl in H. apply andb_true_iff in H. destruct H as [H1 H2].
    rewrite negb_true_iff, Nat.eqb_neq in H1. split; [lia|]. rewrite any_iff in H2. destruct H2 as [i [Hi H2]].
    apply existsb_exists in H2. destruct H2 as [k [K1 K2]]. apply andb_true_iff in K2. destruct K2 as [K2 K3]. exists k. split; auto.
    exists (label m s i), (target m s i). split; [apply step_edge; auto|]. split; auto. intros Ns Es. unfold belongs in K2. rewrite Ns in K2.
    simpl in K2. rewrite negb_true_iff, Nat.eqb_neq in K2. auto.
  - (* weak *)
    intros a k N Wk. unfold neglected_by in N. destruct (Nat.eqb_spec a 0) as [|Na]; [discriminate|].
    destruct (only g a) as [k'|] eqn:O; [|rewrite Wk in N; discriminate].
    apply Nat.eqb_eq in N. subst k'. split.
    + intros k' N. unfold neglected_by in N. rewrite O in N. destruct (a =? 0); [discriminate|]. apply Nat.eqb_eq. exact N.
    + intros s Hs [i Ei]. assert (Wa : weak_set g a = true) by (unfold weak_set; rewrite O; auto).
      pose proof (here_within s Hs) as Ws.
      assert (Ea : w_ s = a).
      { destruct i as [|i]; [exact Ei|]. exfalso. simpl in Ei.
        pose proof (up_le (sets g) (parent g) parent_less _ Ws i) as Le. simpl in Le.
        destruct (up i (within g s v)) as [|b] eqn:Eu; simpl in Ei; [auto|].
        destruct (parent_strong (S b) ltac:(lia) ltac:(lia)) as [E|E]; congruence. }
      split; auto. pose proof (rank_right s Hs) as H. unfold rank_ok in H. cbv zeta in H. rewrite !andb_true_iff in H.
      destruct H as [[_ H] _]. simpl in Ea. rewrite Ea, Wa in H. destruct (Nat.eqb_spec (due e s v) 0); auto.
      rewrite orb_false_r in H. apply Nat.eqb_eq in H. contradiction.
Qed.
End Rank.

Lemma no_fair v r : (forall i, here v (place r i) /\ goes v (place r i) (taking r i) (place r (S i))) -> ~ fair m f r.
Proof.
  destruct (full f) eqn:Fu; [|apply no_fair_walk; auto]. intros R.
  apply (not_fully_fair m f (fun s => due e s v) (goes v) r Fu).
  - intros i. destruct (R i) as [[[_ H] _] G]. auto.
  - intros i. destruct (R i) as [[L [V W]] _]. pose proof (Due _ L) as H. unfold due_ok in H. rewrite all_iff in H.
    specialize (H (v - 1) ltac:(lia)). cbv zeta in H. replace (S (v - 1)) with v in H by lia. rewrite Fu in H.
    apply one_more_iff in H. destruct H as [_ [o [d [Ho [E D]]]]].
    exists (label m (place r i) o), (target m (place r i) o). split; [apply step_edge; auto|]. intros G.
    apply (goes_on_iff v _ _ Ho) in G. rewrite G in E. inversion E; subst. lia.
Qed.

Lemma pos_stop i s : pos s Stop i = (s, Stop).
Proof. destruct i; auto. Qed.
Lemma pos_add : forall i s r j, pos s r (i + j) = pos (fst (pos s r i)) (snd (pos s r i)) j.
Proof. induction i as [|i IH]; intros s r j; auto. destruct r as [|l t r]; simpl; auto. rewrite pos_stop. auto. Qed.

Lemma pos_counts : forall i s r, lists s -> counts s r -> lists (fst (pos s r i)) /\ counts (fst (pos s r i)) (snd (pos s r i)).
Proof.
  induction i as [|i IH]; intros s r L C; auto. destruct r as [|l t r]; simpl; auto.
  destruct (counts_behind _ _ _ _ _ _ C) as [H C']. apply IH; auto. apply (onward_listed s l t); auto.
Qed.

Lemma not_stop s r : counts s r -> ~ deadlock m s -> exists l t r', r = Move l t r' /\ step m s l t /\ counts t r'.
Proof.
  intros C D. destruct r as [|l t r].
  - destruct C as [M _]. inversion M; subst. contradiction.
  - destruct (counts_behind _ _ _ _ _ _ C). eauto 6.
Qed.

Lemma never_counts v s r : lists s -> counts s r -> endless s r ->
  (forall i, here v (place (walk_of s r) i) /\ (adm g (place (walk_of s r) i) = true ->
    adm g (place (walk_of s r) (S i)) = true /\ does p (S (n - v)) (taking (walk_of s r) i) = false)) -> False.
Proof.
  intros L C E H. destruct C as [M F]. pose proof (F E) as [_ [i0 R]].
  destruct (pos_counts i0 s r L (conj M F)) as [Lu Cu]. set (u := fst (pos s r i0)) in *. set (r' := snd (pos s r i0)) in *.
  assert (At : forall j, pos u r' j = pos s r (i0 + j)) by (intros; rewrite pos_add; auto).
  assert (E' : endless u r') by (intros j; rewrite At; apply E).
  destruct Cu as [M' F']. pose proof (F' E') as [Fa _]. revert Fa. apply (no_fair v). intros i.
  destruct (H (i0 + i)) as [Hi G]. specialize (R (i0 + i) ltac:(lia)). simpl in Hi, G, R |- *.
  change (match r' with Stop => (u, r') | Move _ t r'0 => pos t r'0 i end) with (pos u r' (S i)).
  change (match r with Stop => (s, r) | Move _ t r'0 => pos t r'0 (i0 + i) end) with (pos s r (S (i0 + i))) in G.
  rewrite !At. replace (i0 + S i) with (S (i0 + i)) by lia. split; [exact Hi|]. split; [|split; [exact R|exact G]].
  destruct (pos_counts (i0 + i) s r L (conj M F)) as [_ C]. specialize (E (i0 + i)).
  destruct (pos s r (i0 + i)) as [y q] eqn:Ep. simpl in *. destruct q as [|l t q]; [contradiction|].
  pose proof (pos_next _ _ _ _ _ _ _ Ep) as En. simpl in En. rewrite En. apply (counts_behind _ _ _ _ _ _ C).
Qed.

Lemma outcast_right s r : lists s -> adm g s = false -> ~ counts s r.
Proof.
  intros L N C.
  assert (K : forall i, adm g (fst (pos s r i)) = false).
  { induction i as [|i IH]; auto. destruct (pos_counts i s r L C) as [Li Ci].
    destruct (outcast _ Li IH) as [D O]. destruct (not_stop _ _ Ci D) as [l [t [r' [E [H _]]]]].
    destruct (pos s r i) as [u q] eqn:Ep. simpl in *. subst q. pose proof (pos_next _ _ _ _ _ _ _ Ep) as En. simpl in En. rewrite En.
    apply (O l t). auto. }
  assert (E : endless s r).
  { intros i Q. destruct (pos_counts i s r L C) as [Li Ci]. destruct (outcast _ Li (K i)) as [D _].
    destruct (not_stop _ _ Ci D) as [l [t [r' [E _]]]]. congruence. }
  apply (never_counts 1 s r); auto. intros i. destruct (pos_counts i s r L C) as [Li _]. simpl. rewrite K. split; [|discriminate].
  split; auto. unfold levels. rewrite K. lia.
Qed.

Lemma adm_next s l t r : lists s -> counts s (Move l t r) -> step m s l t /\ lists t /\ counts t r /\ adm g t = true.
Proof.
  intros L C. destruct (counts_behind _ _ _ _ _ _ C) as [H C']. pose proof (onward_listed s l t L H) as Lt.
  split; auto. split; auto. split; auto. destruct (adm g t) eqn:E; auto. exfalso. apply (outcast_right t r); auto.
Qed.

(* cs is not too large *)

Theorem suffix_always v : forall s r, lists s -> adm g s = true -> v <= cs c s -> counts s r -> has_suffix p v r.
Proof.
  induction v as [|v IH]; intros s r L Y V C; [apply contains_done; lia|].
  apply NNPP. intros N. destruct (cs_right s L Y) as [R _].
  assert (K : forall i s r, lists s -> adm g s = true -> S v <= cs c s -> counts s r -> ~ has_suffix p (S v) r ->
    snd (pos s r i) <> Stop /\ adm g (fst (pos s r i)) = true /\ S v <= cs c (fst (pos s r i)) /\
    adm g (fst (pos s r (S i))) = true /\ does p (S (n - S v)) (taking (walk_of s r) i) = false).
  { clear s r L Y V C N R. assert (G : forall s r, lists s -> adm g s = true -> S v <= cs c s -> counts s r -> ~ has_suffix p (S v) r ->
      exists l t r', r = Move l t r' /\ lists t /\ adm g t = true /\ does p (S (n - S v)) l = false /\ S v <= cs c t /\ counts t r' /\ ~ has_suffix p (S v) r').
    { intros s r L Y V C N. destruct (cs_right s L Y) as [R [D B]].
      destruct (not_stop s r C) as [l [t [r' [-> [Ht C']]]]]; [intros Q; rewrite (D Q) in V; lia|].
      destruct (adm_next s l t r' L C) as [_ [Lt [_ Yt]]]. specialize (B l t Ht Yt).
      exists l, t, r'. split; auto. split; auto. split; auto. unfold has_suffix in N. destruct (does p (S (n - S v)) l) eqn:Dl.
      - exfalso. apply N. apply contains_step; auto. replace (S (n - S v)) with (n - v) by lia.
        apply (IH t r' Lt); auto. unfold advS in B. destruct (_ && _); lia.
      - split; auto. split; [|split; auto; intros N'; apply N; apply contains_later; auto].
        unfold advS in B. destruct ((cs c t <? n) && does p (n - cs c t) l) eqn:F; [|lia].
        apply andb_true_iff in F. destruct F as [F1 F2]. apply Nat.ltb_lt in F1.
        destruct (Nat.eq_dec (cs c t) v) as [Ev|]; [|lia].
        rewrite Ev in F2. replace (n - v) with (S (n - S v)) in F2 by lia. congruence. }
    induction i as [|i IHi]; intros s r L Y V C N; destruct (G s r L Y V C N) as [l [t [r' [-> [Lt [Yt [D [Vt [C' N']]]]]]]]].
    - simpl. split; [discriminate|]. auto.
    - apply (IHi t r'); auto. }
  assert (E : endless s r) by (intros i; apply (K i s r); auto).
  apply (never_counts (S v) s r); auto. intros i. destruct (K i s r L Y V C N) as [_ [K1 [K2 [K3 K4]]]].
  destruct (pos_counts i s r L C) as [Li _]. split; [|intros _; split; auto].
  simpl. split; auto. unfold levels. rewrite K1. lia.
Qed.

(* cs is not too small *)

Lemma stays_iff h s i : i < degree m s -> stays_at m p f c g h s i = true <->
  home g (target m s i) = h /\ is_rare f (label m s i) = false /\ advS p (cs c s) (label m s i) = cs c s.
Proof. intros Hi. unfold stays_at. rewrite !andb_true_iff, !Nat.eqb_eq, negb_true_iff. tauto. Qed.

Definition inside (h u l t : nat) : Prop :=
  lists u /\ home g u = h /\ home g t = h /\ step m u l t /\ is_rare f l = false /\ advS p (cs c u) l = cs c u.

Lemma inside_iff h s i : lists s -> home g s = h -> i < degree m s ->
  stays_at m p f c g h s i = true <-> inside h s (label m s i) (target m s i).
Proof.
  intros L E Hi. rewrite stays_iff by auto. unfold inside. split.
  - intros [H1 [H2 H3]]. repeat split; auto; try apply L. apply step_edge. auto.
  - intros [_ [_ [H1 [_ [H2 H3]]]]]. auto.
Qed.

(* What is checked of a home *)
Lemma home_right s root : lists s -> home g s = S root ->
  lists root /\ home g root = S root /\ cs c root = cs c s /\ (exists l t, inside (S root) s l t) /\
  (full f = true -> forall l t, step m s l t -> inside (S root) s l t) /\
  (s = root \/ ((exists l t, inside (S root) s l t /\ back g t < back g s) /\ (exists u l, inside (S root) u l s /\ from g u < from g s))).
Proof.
  intros L E. pose proof (Home s L) as H. unfold home_ok in H. rewrite E in H.
  rewrite !andb_true_iff, !Nat.eqb_eq, Nat.ltb_lt in H. destruct H as [[[[[[H1 H2] H3] H4] H5] H6] H7].
  split; [split; auto|]. split; auto. split; auto. split; [|split].
  - rewrite any_iff in H5. destruct H5 as [i [Hi H5]]. apply (inside_iff _ s i L E Hi) in H5. eauto.
  - intros Fu l t [i [Hi [<- <-]]]. rewrite Fu in H6. simpl in H6. rewrite all_iff in H6. apply inside_iff; auto.
  - destruct (Nat.eqb_spec s root) as [|Ns]; auto. right. apply andb_true_iff in H7. destruct H7 as [H7 H8].
    rewrite !one_more_iff in *. split.
    + destruct H7 as [_ [i [d [Hi [D B]]]]]. destruct (stays_at _ _ _ _ _ _ _ _) eqn:St; [|discriminate]. inversion D; subst.
      apply (inside_iff _ s i L E Hi) in St. eexists _, _. split; [exact St|lia].
    + destruct H8 as [_ [k [d [Hk [D B]]]]]. destruct (_ && _) eqn:St; [|discriminate]. inversion D; subst.
      apply andb_true_iff in St. destruct St as [Hu St]. apply Nat.eqb_eq in Hu.
      destruct (i_only _ _ _ X s k L Hk) as [Lu [Hi Et]]. apply (inside_iff _ _ _ Lu Hu Hi) in St. rewrite Et in St.
      eexists _, _. split; [exact St|lia].
Qed.

Lemma way_to root : forall d s, back g s <= d -> lists s -> home g s = S root ->
  exists w, run m s w root /\ forall u l t, on m s w u l t -> inside (S root) u l t.
Proof.
  induction d as [d IH] using lt_wf_ind. intros s D L E.
  destruct (home_right s root L E) as [_ [_ [_ [_ [_ [->|[[l [t [I Lt]]] _]]]]]]].
  - exists []. split; [constructor|]. intros u l t [[|? ?] [? [Q _]]]; discriminate.
  - pose proof I as [_ [_ [Et [St _]]]]. destruct (IH (back g t) ltac:(lia) t (le_n _) (onward_listed s l t L St) Et) as [w [R A']].
    exists ((l, t) :: w). split; [econstructor; eauto|]. intros u l' t' [[|[l0 t0] a] [b [Q R']]]; simpl in Q; inversion Q; subst.
    + inversion R'; subst. exact I.
    + inversion R'; subst. apply A'. exists a, b. auto.
Qed.

Lemma way_from root : forall d s, from g s <= d -> lists s -> home g s = S root ->
  exists w, run m root w s /\ forall u l t, on m root w u l t -> inside (S root) u l t.
Proof.
  induction d as [d IH] using lt_wf_ind. intros s D L E.
  destruct (home_right s root L E) as [_ [_ [_ [_ [_ [->|[_ [v [l [I Lt]]]]]]]]]].
  - exists []. split; [constructor|]. intros u l t [[|? ?] [? [Q _]]]; discriminate.
  - pose proof I as [Lv [Ev [_ [St _]]]]. destruct (IH (from g v) ltac:(lia) v (le_n _) Lv Ev) as [w [R A']].
    exists (w ++ [(l, s)]). split; [eapply run_app; eauto; apply run_one; auto|]. intros u l' t' [a [b [Q R']]].
    destruct b as [|y b] using rev_ind.
    + apply app_inj_tail in Q. destruct Q as [-> Q]. inversion Q; subst. rewrite <- (run_ends _ _ _ _ R _ R'). exact I.
    + change ((l', t') :: b ++ [y]) with (((l', t') :: b) ++ [y]) in Q. rewrite app_assoc in Q. apply app_inj_tail in Q. destruct Q as [-> _].
      apply A'. exists a, b. auto.
Qed.

Theorem home_counts s : lists s -> 0 < home g s -> exists r, counts s r /\ forall v, v <= n -> has_suffix p v r -> v <= cs c s.
Proof.
  intros L P. destruct (home g s) as [|root] eqn:E; [lia|].
  destruct (home_right s root L E) as [Lr [Er [Cr [[l0 [t0 I0]] [_ _]]]]].
  destruct (picked _ (edges m) (fun y => inside (S root) (fst (fst y)) (snd (fst y)) (snd y))) as [es Es].
  assert (All : forall u l t, In (u, l, t) es <-> inside (S root) u l t).
  { intros u l t. rewrite Es, in_edges. simpl. split; [tauto|]. intros I. split; auto. split; [apply I|apply I]. }
  destruct (tour m root (inside (S root)) es) as [w [R [On In_]]].
  { intros u l t H. apply All in H. split; auto. apply H. }
  { intros u l t I. split; [apply (way_from root _ u (le_n _)); apply I|].
    apply (way_to root _ t (le_n _)); [apply (onward_listed u l t); apply I|apply I]. }
  assert (On' : forall u l t, inside (S root) u l t -> on m root w u l t) by (intros; apply On, All; auto).
  assert (Nw : w <> []).
  { intros ->. destruct (On' _ _ _ I0) as [[|? ?] [? [Q _]]]; discriminate. }
  destruct (way_to root _ s (le_n _) L E) as [w0 [R0 In0]].
  exists (after w0 (rounds w [])). split.
  - apply (counts_after m f s w0 root); auto. apply loop_counts; auto. split; [intros u l t O; apply In_ in O; apply O|].
    destruct (full f) eqn:Fu.
    + intros u l t l' t' O St. apply In_ in O. destruct O as [Lu [Hu _]].
      destruct (home_right u root Lu Hu) as [_ [_ [_ [_ [Q _]]]]]. auto.
    + intros k u l t O [l' [t' [St [T1 T2]]]]. apply In_ in O. destruct O as [Lu [Hu _]].
      pose proof (Task u Lu) as H. unfold tasks_ok in H. cbv zeta in H. rewrite Fu, orb_false_r in H. apply orb_true_iff in H.
      rewrite Hu in H. destruct H as [H|H]; [discriminate|]. destruct St as [i [Hi [<- <-]]].
      rewrite all_iff in H. specialize (H i Hi). rewrite forallb_forall in H. specialize (H k T1).
      rewrite !orb_true_iff in H. destruct H as [[H|H]|H].
      * exfalso. unfold belongs in H. destruct (nonstuttering f k); simpl in H; [|discriminate].
        destruct (Nat.eqb_spec (target m u i) u) as [Eq|]; [|discriminate]. apply T2; auto.
      * left. rewrite !andb_true_iff, Nat.eqb_eq, !Nat.ltb_lt in H. destruct H as [[[[[K1 K2] K3] K4] K5] K6].
        set (y := shown g (S root) k) in *. apply (inside_iff _ (fst y) (snd y)) in K5; [|split; auto|auto|auto].
        exists (fst y), (label m (fst y) (snd y)), (target m (fst y) (snd y)). split; [apply On'; auto|].
        unfold of_task in K6. apply andb_true_iff in K6. destruct K6 as [K6 K7]. split.
        -- apply existsb_exists in K6. destruct K6 as [k' [Hk' Eq]]. apply Nat.eqb_eq in Eq. subst. auto.
        -- intros Ns Eq. unfold belongs in K7. rewrite Ns in K7. simpl in K7. rewrite negb_true_iff, Nat.eqb_neq in K7. auto.
      * right. rewrite !andb_true_iff, Nat.eqb_eq, Nat.ltb_lt, !negb_true_iff in H. destruct H as [Sk [[[K1 K2] K3] K4]]. split; auto.
        set (y := idle g (S root) k) in *. destruct (home_right y root (conj K2 K1) K3) as [_ [_ [_ [[ly [ty Iy]] _]]]].
        exists y, ly, ty. split; auto. intros [l1 [t1 [[j [Hj [<- <-]]] [Q1 Q2]]]].
        rewrite <- not_true_iff_false in K4. apply K4. unfold enabled. apply any_iff. exists j. split; auto. unfold of_task, belongs.
        apply andb_true_iff. split; [apply existsb_exists; exists k; split; auto; apply Nat.eqb_refl|].
        destruct (nonstuttering f k); simpl; auto. rewrite negb_true_iff, Nat.eqb_neq. intros Eq. apply (Q2 eq_refl). auto.
  - intros v V H. destruct (Nat.le_gt_cases n (cs c s)) as [|Sm]; [lia|]. destruct (Nat.le_gt_cases v (cs c s)) as [|Lt]; auto. exfalso.
    rewrite <- rounds_after in H.
    assert (Du : forall u l t, inside (S root) u l t -> does p (n - cs c s) l = false).
    { intros u l t [Lu [Hu [_ [_ [_ B]]]]]. destruct (home_right u root Lu Hu) as [_ [_ [Cu _]]]. rewrite <- Cu, Cr in B. unfold advS in B.
      apply Nat.ltb_lt in Sm. rewrite Sm in B. simpl in B. destruct (does p (n - cs c s) l); auto. lia. }
    refine (rounds_stuck p w (n - cs c s - 1) _ _ _ _ H _ w0 _ eq_refl); [lia| |lia|].
    + intros [l t] Hy. simpl. replace (S (n - cs c s - 1)) with (n - cs c s) by lia. destruct (in_split _ _ Hy) as [a [b Q]].
      pose proof R as R'. rewrite Q in R'. destruct (run_split _ _ _ _ _ R') as [u [Ra _]].
      apply (Du u l t). apply In_. exists a, b. auto.
    + intros [l t] Hy. destruct (in_split _ _ Hy) as [a [b Q]]. pose proof R0 as R'. rewrite Q in R'.
      destruct (run_split _ _ _ _ _ R') as [u [Ra _]]. destruct (On' u l t) as [a' [b' [-> _]]]; [|apply in_or_app; right; left; auto].
      apply In0. exists a, b. auto.
Qed.

Lemma behind s l t r : cs c s = advS p (cs c t) l -> (forall v, v <= n -> has_suffix p v r -> v <= cs c t) ->
  forall v, v <= n -> has_suffix p v (Move l t r) -> v <= cs c s.
Proof.
  intros E B v V H. unfold has_suffix in H. apply contains_move in H. unfold adv in H.
  pose proof (advS_ge p (cs c t) l) as G. destruct ((n - v <? n) && does p (S (n - v)) l) eqn:D.
  - apply andb_true_iff in D. destruct D as [D1 D2]. apply Nat.ltb_lt in D1.
    assert (B' : v - 1 <= cs c t).
    { apply B; [lia|]. unfold has_suffix. replace (n - (v - 1)) with (S (n - v)) by lia. exact H. }
    destruct (Nat.eq_dec (cs c t) (v - 1)) as [Q|]; [|lia]. rewrite E. unfold advS. rewrite Q.
    replace (v - 1 <? n) with true by (symmetry; apply Nat.ltb_lt; lia).
    replace (n - (v - 1)) with (S (n - v)) by lia. rewrite D2. simpl. lia.
  - specialize (B v V H). lia.
Qed.

Theorem suffix_reached : forall s, lists s -> adm g s = true ->
  exists r, counts s r /\ forall v, v <= n -> has_suffix p v r -> v <= cs c s.
Proof.
  enough (G : forall a b s, cs c s = a -> settle g s <= b -> lists s -> adm g s = true ->
    exists r, counts s r /\ forall v, v <= n -> has_suffix p v r -> v <= cs c s) by (intros s; apply (G (cs c s) (settle g s)); auto).
  induction a as [a IHa] using lt_wf_ind. induction b as [b IHb] using lt_wf_ind. intros s Ea Eb L Y.
  pose proof (Settle s L) as H. unfold settle_ok in H. rewrite Y in H.
  destruct (Nat.eqb_spec (degree m s) 0) as [D|D].
  { exists Stop. split; [apply counts_end; auto|]. intros v V S. unfold has_suffix in S. apply contains_stop in S. lia. }
  destruct (Nat.eqb_spec (home g s) 0) as [Hh|Hh]; [|apply home_counts; auto; lia].
  destruct (Nat.eqb_spec (cs c s) n) as [Hn|Hn].
  1: destruct (rare f) eqn:Ra; unfold excludes in H; rewrite Ra in H; simpl in H.
  2: { destruct (some_counts m f Finite s ltac:(apply L) Ra) as [r C]. exists r. split; auto. intros. lia. }
  all: simpl in H; apply one_more_iff in H; destruct H as [_ [i [d [Hi [Ed Es]]]]];
    destruct (adm g (target m s i)) eqn:Yt; simpl in Ed; [|discriminate];
    destruct (Nat.eqb_spec (advS p (cs c (target m s i)) (label m s i)) (cs c s)) as [B|]; [|discriminate];
    set (t := target m s i) in *; set (l := label m s i) in *;
    assert (Ht : step m s l t) by (apply step_edge; auto);
    pose proof (advS_ge p (cs c t) l) as Ge; pose proof (onward_listed s l t L Ht) as Lt;
    (destruct (Nat.ltb_spec (cs c t) (cs c s)) as [Lc|Lc]; inversion Ed; subst d;
      [destruct (IHa (cs c t) ltac:(lia) (settle g t) t eq_refl (le_n _) Lt Yt) as [r [C Bo]]
      |destruct (IHb (settle g t) ltac:(lia) t ltac:(lia) (le_n _) Lt Yt) as [r [C Bo]]];
      (exists (Move l t r); split; [apply counts_before; auto|apply (behind s l t r); auto])).
Qed.

Lemma adm_right s : lists s -> (adm g s = true <-> admitted counts s).
Proof.
  intros L. split.
  - intros Y. destruct (suffix_reached s L Y) as [r [C _]]. exists r. auto.
  - intros [r C]. destruct (adm g s) eqn:E; auto. exfalso. apply (outcast_right s r); auto.
Qed.

Theorem fair_cs s : lists s -> admitted counts s -> common_suffix counts p s (cs c s).
Proof.
  intros L Y. apply adm_right in Y; auto. split; [apply (cs_right s L Y)|]. split.
  - intros r C. apply (suffix_always _ s); auto.
  - destruct (suffix_reached s L Y) as [r [C B]]. exists r. auto.
Qed.

(* ms *)

Lemma next_run_fair : forall d s v, next_ e s v = d -> lists s -> adm g s = true -> v <= ms c s ->
  exists w t, run m s w t /\ lists t /\ adm g t = true /\ n <= progress p (n - v) w.
Proof.
  induction d as [d IH] using lt_wf_ind. intros s v E L Y V.
  destruct v as [|v]; [exists [], s; split; [constructor|]; split; auto; split; auto; simpl; lia|].
  destruct (ms_right s L Y) as [R [_ Q]]. destruct (Q (S v) ltac:(lia) V) as [l [t [Ht [Yt [B E']]]]].
  simpl in E. pose proof (onward_listed s l t L Ht) as Lt.
  destruct (IH (next_ e t (rest p (S v) l)) ltac:(lia) t _ eq_refl Lt Yt B) as [w [u [R' [Lu [Yu P]]]]].
  exists ((l, t) :: w), u. split; [econstructor; eauto|]. split; auto. split; auto. simpl.
  pose proof (progress_mono p w _ _ (rest_adv p (S v) l ltac:(lia) ltac:(lia))). simpl in *. lia.
Qed.

Theorem fair_ms s : lists s -> admitted counts s -> max_suffix counts p s (ms c s).
Proof.
  intros L Y. apply adm_right in Y; auto. destruct (ms_right s L Y) as [R _]. split; auto. split.
  - destruct (next_run_fair _ s (ms c s) eq_refl L Y) as [w [t [R' [Lt [Yt P]]]]]; auto.
    destruct (suffix_reached t Lt Yt) as [r [C _]]. exists (after w r). split; [apply (counts_after m f s w t); auto|].
    unfold has_suffix. apply contains_after. apply contains_done. auto.
  - intros r v V C H. enough (n <= (n - v) + ms c s) by lia.
    apply (suffix_bound p (fun s l t => lists s /\ adm g s = true /\ step m s l t /\ adm g t = true) (ms c)) with
      (r := r) (path := fun s r => lists s /\ adm g s = true /\ counts s r).
    + intros s' l t [L' [Y' [Ht Yt]]]. destruct (ms_right s' L' Y') as [_ [B _]]. auto.
    + exact H.
    + lia.
    + intros s' l t r' [L' [Y' C']]. destruct (adm_next s' l t r' L' C') as [Ht [Lt [C2 Yt]]]. auto 8.
    + auto.
Qed.

(* The counterexample *)

Lemma of_task_iff s i k : of_task m f s i k = true <-> takes f k s (label m s i) (target m s i).
Proof.
  unfold of_task, belongs, takes. rewrite andb_true_iff, existsb_exists, orb_true_iff, !negb_true_iff, Nat.eqb_neq. split.
  - intros [[k' [H E]] B]. apply Nat.eqb_eq in E. subst k'. split; auto. intros Ns Eq. destruct B as [B|B]; [congruence|auto].
  - intros [H N]. split; [exists k; split; auto; apply Nat.eqb_refl|]. destruct (nonstuttering f k); auto.
    right. intros E. apply (N eq_refl). auto.
Qed.
Lemma enabled_iff s k : enabled m f s k = true <-> enables m f k s.
Proof.
  unfold enabled, enables. rewrite any_iff. split.
  - intros [i [Hi H]]. apply of_task_iff in H. exists (label m s i), (target m s i). split; auto. apply step_edge. auto.
  - intros [l [t [[i [Hi [<- <-]]] H]]]. exists i. split; auto. apply of_task_iff. auto.
Qed.

Hypothesis starts : adm g (initial m) = true.

Lemma fair_end_right loop xs s j : run m (initial m) (word xs) s -> progress p 0 (word xs) = j ->
  (forall before_ z behind, xs = before_ ++ z :: behind -> right_step m counts (satisfies p) c (progress p 0) (word before_) z) ->
  (forall before_ z behind, xs = before_ ++ z :: behind -> run m (initial m) (word before_) (x_from z)) ->
  fair_end_ok m p f c g loop xs (s, j) = true -> violates m p counts true loop xs.
Proof.
  intros R P Q F H. unfold fair_end_ok in H. cbv zeta in H. simpl in H. destruct loop as [k|].
  - left. destruct (skipn k xs) as [|y r] eqn:Ek; [discriminate|].
    rewrite !andb_true_iff, Nat.eqb_eq, Nat.ltb_lt, negb_true_iff in H. destruct H as [[[Fu F'] S] K].
    destruct (lasso_violates m p xs k y r s j R P F Ek F' S) as [R1 [R2 [-> V]]]. split; auto.
    apply (counts_after m f _ _ s); auto. apply loop_counts; auto; [discriminate|].
    (* Each transition on the loop is that of a step. *)
    destruct (skipn_nth _ xs k y r Ek) as [Es _]. set (ys := y :: r) in *.
    assert (On : forall u l t, on m s (word ys) u l t -> exists z, In z ys /\ x_from z = u /\ x_label z = l /\ x_to z = t).
    { intros u l t [a [b [E Ra]]].
      assert (M : forall zs a b, word zs = a ++ (l, t) :: b -> exists c d z, zs = c ++ z :: d /\ word c = a /\ x_label z = l /\ x_to z = t).
      { induction zs as [|z zs IH]; intros a0 b0 E0; [destruct a0; discriminate|]. destruct a0 as [|e0 a0]; simpl in E0; inversion E0; subst.
        - exists [], zs, z. auto.
        - destruct (IH _ _ H1) as [c0 [d0 [z0 [-> [<- [<- <-]]]]]]. exists (z :: c0), d0, z0. auto. }
      destruct (M ys a b E) as [c0 [d0 [z [Ez [Ew [<- <-]]]]]]. exists z. split; [rewrite Ez; apply in_or_app; right; left; auto|]. split; auto.
      assert (Ex : xs = (firstn k xs ++ c0) ++ z :: d0) by (rewrite <- app_assoc, <- Ez; exact Es).
      pose proof (F _ _ _ Ex) as Rz. unfold word in Rz. rewrite map_app in Rz.
      destruct (run_split _ _ _ _ _ Rz) as [s1 [Rs1 Rs2]]. rewrite (run_ends _ _ _ _ Rs1 _ R1) in Rs2. fold (word c0) in Rs2. rewrite Ew in Rs2.
      apply (run_ends _ _ _ _ Rs2 _ Ra). }
    assert (On' : forall z, In z ys -> on m s (word ys) (x_from z) (x_label z) (x_to z) /\
      x_out z < degree m (x_from z) /\ x_label z = label m (x_from z) (x_out z) /\ x_to z = target m (x_from z) (x_out z)).
    { intros z Hz. destruct (in_split _ _ Hz) as [a [b E]].
      assert (Ex : xs = (firstn k xs ++ a) ++ z :: b) by (rewrite <- app_assoc, <- E; exact Es).
      destruct (Q _ _ _ Ex) as [Rz [O1 [O2 [O3 _]]]]. split; auto. exists (word a), (word b). split.
      - rewrite E. unfold word. rewrite map_app. reflexivity.
      - unfold word in Rz. rewrite map_app in Rz. destruct (run_split _ _ _ _ _ Rz) as [s1 [Rs1 Rs2]].
        rewrite (run_ends _ _ _ _ Rs1 _ R1) in Rs2. exact Rs2. }
    unfold loop_fair in K. rewrite forallb_forall in K. split.
    + intros u l t O. destruct (On u l t O) as [z [Hz [_ [<- _]]]]. specialize (K z Hz). apply andb_true_iff in K.
      destruct K as [K _]. apply negb_true_iff in K. exact K.
    + rewrite Fu. intros k0 u l t O [l' [t' [[i [Hi [<- <-]]] T]]]. destruct (On u l t O) as [z [Hz [<- _]]].
      specialize (K z Hz). apply andb_true_iff in K. destruct K as [_ K]. rewrite all_iff in K. specialize (K i Hi).
      rewrite forallb_forall in K. specialize (K k0 (proj1 T)). rewrite !orb_true_iff in K. destruct K as [[K|K]|K].
      * exfalso. apply (of_task_iff (x_from z) i k0) in T. unfold of_task in T. apply andb_true_iff in T. destruct T as [_ T].
        rewrite T in K. discriminate.
      * left. apply existsb_exists in K. destruct K as [z' [Hz' K]]. destruct (On' z' Hz') as [O' [_ [E1 E2]]].
        unfold of_task_at in K. apply of_task_iff in K. rewrite <- E1, <- E2 in K. eauto.
      * right. apply andb_true_iff in K. destruct K as [Sk K]. apply negb_true_iff in Sk. split; auto.
        apply existsb_exists in K. destruct K as [z' [Hz' K]]. destruct (On' z' Hz') as [O' _].
        exists (x_from z'), (x_label z'), (x_to z'). split; auto. intros N. apply enabled_iff in N. rewrite N in K. discriminate.
  - right. split; auto. split; auto. apply andb_true_iff in H. destruct H as [Y Lo]. exists s. split; auto.
    assert (L : lists s) by (apply (reached _ _ _ _ A); exists (word xs); auto).
    assert (Ys : admitted counts s) by (apply adm_right; auto). split; auto.
    apply (counted_lost m p c counts); auto; [apply fair_ms|]. rewrite P. exact Lo.
Qed.
End FairSound.

Lemma each_set k at_ h : each k (fun _ => true) at_ h = None <-> forall s, s < k -> h s = true.
Proof.
  unfold each. transitivity (find_bad k 0 h = None); [destruct (find_bad k 0 h); split; congruence|].
  rewrite find_bad_iff. split; intros H i Hi; apply H; lia.
Qed.

Lemma finite_iff m : initial m < size m /\ (forall s, s < size m -> all (degree m s) (fun i => target m s i <? size m) = true) <-> finite m.
Proof.
  unfold finite. split; intros [I H]; split; auto; intros s.
  - intros i Hs Hi. specialize (H s Hs). rewrite all_iff in H. apply Nat.ltb_lt. auto.
  - intros Hs. apply all_iff. intros i Hi. apply Nat.ltb_lt. auto.
Qed.

(* The main theorem under assumptions: what the checker accepts is true of the runs that count, and there is one. *)
Theorem fair_soundness m p f c e g x : check_fair m p f c e g x = None ->
  true_claims m p (counts m f) c true /\ admitted (counts m f) (initial m) /\
  forall s, reachable m s -> (adm g s = true <-> admitted (counts m f) s).
Proof.
  intros H. unfold check_fair, counts_ok in H. rewrite !then_none, !want_none, !each_set, !each_iff, index_iff in H.
  rewrite !andb_true_iff, Nat.ltb_lt, !Nat.eqb_eq, eqb_true_iff in H.
  destruct H as [Be [Fi [[I1 I2] [Ra [En [Ix [Fs [Le [Su [Ho [Ta [Se [St [Du [Ad [Ve [Cl [[C1 [C2 [C3 C4]]] [W K]]]]]]]]]]]]]]]]]]].
  assert (Finite : finite m) by (apply finite_iff; split; auto).
  assert (A : prefixed m p c e).
  { apply (prefixed_right m p c e x); auto. intros s Hs. apply Nat.leb_le. apply Ra. exact Hs. }
  pose proof (adm_right m p f c e g x Finite A Ix Su Ho Ta Se St Du) as Y.
  assert (S : admitted (counts m f) (initial m)) by (apply Y; auto; split; auto).
  split; [|split; auto].
  - assert (Cf : forall s i, lists m (listed c) s -> i < degree m s ->
      has_class m (counts m f) (satisfies p) (class_of c s i) s (label m s i) (target m s i)).
    { intros s i L Hi. pose proof (Cl s L) as H. unfold fair_class_ok in H. rewrite all_iff in H. specialize (H i Hi).
      apply same_iff in H. rewrite H. apply (counted_class m p c e (counts m f) (adm g) A); auto.
      - apply (fair_ms m p f c e g x); auto.
      - apply (fair_cs m p f c e g x); auto. }
    apply (counted_claims m p c e x (counts m f) A Ix) with (gone := fair_gone p c g) (end_ok := fair_end_ok m p f c g); auto.
    + apply (fair_ms m p f c e g x); auto.
    + apply (fair_cs m p f c e g x); auto.
    + intros s [M _]. inversion M; auto.
    + apply counts_behind.
    + apply counts_before.
    + intros w s L. unfold fair_gone. simpl. destruct (adm g s) eqn:E; simpl.
      * apply (counted_lost m p c (counts m f)); auto; [apply (fair_ms m p f c e g x); auto|apply Y; auto].
      * split; auto. intros _ r C. exfalso. assert (adm g s = true) by (apply Y; auto; exists r; auto). congruence.
    + apply (fair_end_right m p f c e g x); auto.
    + destruct (Check.walk _ _ _ _ _ _ _); [discriminate|auto].
    + intros []; auto.
  - intros s R. apply Y. apply (sound_states _ _ _ _ A). exact R.
Qed.
