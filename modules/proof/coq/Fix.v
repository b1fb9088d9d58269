(* Least fixed points on finite sets, with the round in which each member joins. *)
From Coq Require Import List Arith Lia Bool.
Import ListNotations.

Lemma filter_le V (X Y : V -> bool) (l : list V) : (forall v, In v l -> X v = true -> Y v = true) ->
  length (filter X l) <= length (filter Y l).
Proof.
  induction l as [|a l IH]; simpl; intros H; auto.
  assert (I : length (filter X l) <= length (filter Y l)) by (apply IH; intros; apply H; auto).
  destruct (X a) eqn:E; [rewrite (H a); auto; simpl; lia|]. destruct (Y a); simpl; lia.
Qed.

Lemma filter_length V (X : V -> bool) (l : list V) : length (filter X l) <= length l.
Proof. induction l as [|a l IH]; simpl; auto. destruct (X a); simpl; lia. Qed.

Lemma filter_same V (X Y : V -> bool) (l : list V) : (forall v, In v l -> X v = true -> Y v = true) ->
  length (filter X l) = length (filter Y l) -> forall v, In v l -> Y v = true -> X v = true.
Proof.
  induction l as [|a l IH]; simpl; intros H E v Hv Yv; [contradiction|].
  assert (I : length (filter X l) <= length (filter Y l)) by (apply filter_le; intros; apply H; auto).
  destruct (X a) eqn:Xa.
  - rewrite (H a) in E by auto. simpl in E. destruct Hv as [<-|Hv]; auto.
  - destruct (Y a) eqn:Ya; simpl in E; [lia|]. destruct Hv as [<-|Hv]; [congruence|]. apply IH; auto.
Qed.

Section Fix.
Variables (V : Type) (all_ : list V) (F : (V -> bool) -> V -> bool).
Definition within (X Y : V -> bool) : Prop := forall v, In v all_ -> X v = true -> Y v = true.
Hypothesis mono : forall X Y, within X Y -> within (F X) (F Y).

Fixpoint round (k : nat) : V -> bool := match k with 0 => fun _ => false | S k' => F (round k') end.
Definition number (X : V -> bool) : nat := length (filter X all_).

Lemma round_grows k : within (round k) (round (S k)).
Proof. induction k as [|k IH]; [intros v _; discriminate|]. apply mono. exact IH. Qed.

Lemma round_le k k' : k <= k' -> within (round k) (round k').
Proof.
  induction 1 as [|k' _ IH]; intros v Hv Hr; auto. apply round_grows; auto.
Qed.

Lemma number_le X Y : within X Y -> number X <= number Y.
Proof. intros H. apply filter_le. exact H. Qed.

Lemma number_same X Y : within X Y -> number X = number Y -> within Y X.
Proof. intros H E v Hv Yv. apply (filter_same V X Y all_ H E v Hv Yv). Qed.

Definition last : nat := S (length all_).
Definition fix_ : V -> bool := round last.

Lemma closes : forall k, (exists j, j < k /\ within (round (S j)) (round j)) \/ k <= number (round k).
Proof.
  induction k as [|k IH]; [right; lia|]. destruct IH as [[j [Hj H]]|H].
  - left. exists j. split; auto.
  - destruct (Nat.eq_dec (number (round k)) (number (round (S k)))) as [E|N].
    + left. exists k. split; auto. apply number_same; auto. apply round_grows.
    + right. pose proof (number_le _ _ (round_grows k)). lia.
Qed.

Lemma stays j : within (round (S j)) (round j) -> forall k, within (round k) (round j).
Proof.
  intros H. induction k as [|k IH]; [intros v _; discriminate|].
  intros v Hv Hk. apply H; auto. simpl in *. apply (mono (round k) (round j) IH); auto.
Qed.

Lemma fix_all k : within (round k) fix_.
Proof.
  destruct (closes last) as [[j [Hj H]]|H].
  - intros v Hv Hk. apply (round_le j); auto; [unfold last in *; lia|]. apply (stays j H k); auto.
  - exfalso. unfold number in H. pose proof (filter_length V (round last) all_). unfold last in *. lia.
Qed.

(* The first round after which v is in. *)
Fixpoint joins (k : nat) (v : V) : nat :=
  match k with 0 => 0 | S k' => if round k' v then joins k' v else k' end.
Definition rank (v : V) : nat := joins last v.
Definition below (k : nat) (v : V) : bool := fix_ v && (rank v <? k).

Lemma joins_right v : In v all_ -> forall k, round k v = true -> joins k v < k /\
  round (S (joins k v)) v = true /\ forall i, round i v = true -> joins k v < i.
Proof.
  intros Hv. induction k as [|k IH]; [discriminate|]. intros H. cbn [joins]. destruct (round k v) eqn:E.
  - destruct (IH eq_refl) as [B C]. split; auto.
  - split; auto. split; auto. intros i Hi. destruct (Nat.le_gt_cases i k); auto.
    rewrite (round_le i k ltac:(assumption) v Hv Hi) in E. discriminate.
Qed.

Lemma below_round k v : In v all_ -> below k v = true <-> round k v = true.
Proof.
  intros Hv. unfold below. rewrite andb_true_iff, Nat.ltb_lt. split.
  - intros [H R]. destruct (joins_right v Hv last H) as [_ [B _]]. apply (round_le (S (rank v))); auto.
  - intros H. assert (Fv : fix_ v = true) by (apply (fix_all k); auto). split; auto.
    apply (joins_right v Hv last Fv); auto.
Qed.

Lemma round_below k : within (round k) (below k).
Proof. intros v Hv H. apply below_round; auto. Qed.

(* A member follows from those that joined before; what follows is a member. *)
Lemma fix_from v : In v all_ -> fix_ v = true -> F (below (rank v)) v = true.
Proof.
  intros Hv H. destruct (joins_right v Hv last H) as [_ [B _]]. simpl in B.
  apply (mono (round (rank v)) (below (rank v)) (round_below _)); auto.
Qed.

Lemma fix_to v k : In v all_ -> F (below k) v = true -> fix_ v = true /\ rank v <= k.
Proof.
  intros Hv H. assert (B : round (S k) v = true).
  { simpl. apply (mono (below k) (round k)); auto. intros u Hu Hb. apply below_round; auto. }
  apply below_round in B; auto. unfold below in B. apply andb_true_iff in B. destruct B as [B1 B2].
  apply Nat.ltb_lt in B2. split; auto. lia.
Qed.

Lemma fix_closed v : In v all_ -> F fix_ v = true -> fix_ v = true.
Proof.
  intros Hv H. apply (fix_all (S last)); auto.
Qed.

(* Induction over the rounds. *)
Lemma fix_ind (P : V -> Prop) :
  (forall v, In v all_ -> fix_ v = true -> (forall u, In u all_ -> fix_ u = true -> rank u < rank v -> P u) -> P v) ->
  forall v, In v all_ -> fix_ v = true -> P v.
Proof.
  intros H. assert (G : forall k v, rank v < k -> In v all_ -> fix_ v = true -> P v).
  { induction k as [|k IH]; intros v R Hv Fv; [lia|]. apply H; auto. intros u Hu Fu Ru. apply IH; auto. lia. }
  intros v. apply (G (S (rank v))). auto.
Qed.
End Fix.
