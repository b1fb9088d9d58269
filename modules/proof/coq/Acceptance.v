(* Other properties: deterministic automata over labels, whose condition asks which colours recur
   (Emerson and Lei). That what certificate/verify looks for in a certificate of such a property
   is evidence: a home for runs that there are, ranks for runs that there are not. *)
From Coq Require Import List Arith Lia Bool Wf_nat Classical_Prop.
From InevProof Require Import Lts Sound.
Import ListNotations.

(* The condition on colours that recur, and on those that do not. *)
Inductive condition :=
| Always_ (b : bool) | Inf (colour : nat) | Fin (colour : nat) | And (a b : condition) | Or (a b : condition).

(* An automaton: its initial state, its transitions, their colours, the states in which a run may
   end, and the condition on runs that do not end. *)
Record automaton := Automaton {
  start : nat; after_ : nat -> nat -> nat; has : nat -> nat -> nat -> bool; stops : nat -> bool;
  accepts_by : condition }.

Section Runs.
Variable a : automaton.

(* Whether transition k of the trace, read from state q, has the colour. *)
Fixpoint shows (c : nat) (q : nat) (r : trace) (k : nat) : bool :=
  match r with
  | Stop => false
  | Move l _ r' => match k with 0 => has a q l c | S k' => shows c (after_ a q l) r' k' end
  end.

(* The colour comes again and again; from some place on it comes no more. *)
Definition recurs (c q : nat) (r : trace) : Prop := forall k, exists i, k <= i /\ shows c q r i = true.
Definition ceases (c q : nat) (r : trace) : Prop := exists k, forall i, k <= i -> shows c q r i = false.

(* The trace ends, and brings q to q'. *)
Inductive ends_in : nat -> trace -> nat -> Prop :=
| ends_here q : ends_in q Stop q
| ends_later q l t r q' : ends_in (after_ a q l) r q' -> ends_in q (Move l t r) q'.

Fixpoint meets (x : condition) (q : nat) (r : trace) : Prop :=
  match x with
  | Always_ b => b = true
  | Inf c => recurs c q r
  | Fin c => ceases c q r
  | And x y => meets x q r /\ meets y q r
  | Or x y => meets x q r \/ meets y q r
  end.

(* The automaton accepts a trace that is read from q, with these ends and this condition. *)
Definition accepts (stop : nat -> bool) (x : condition) (q : nat) (r : trace) : Prop :=
  (exists q', ends_in q r q' /\ stop q' = true) \/ ((forall q', ~ ends_in q r q') /\ meets x q r).

(* The complement *)
Fixpoint dual (x : condition) : condition :=
  match x with
  | Always_ b => Always_ (negb b)
  | Inf c => Fin c | Fin c => Inf c
  | And x y => Or (dual x) (dual y) | Or x y => And (dual x) (dual y)
  end.

Lemma recurs_or_ceases c q r : ~ recurs c q r <-> ceases c q r.
Proof.
  split.
  - intros N. apply NNPP. intros H. apply N. intros k. apply NNPP. intros E. apply H. exists k. intros i Hi.
    destruct (shows c q r i) eqn:S; auto. exfalso. apply E. exists i. auto.
  - intros [k H] R. destruct (R k) as [i [Hi S]]. rewrite (H i Hi) in S. discriminate.
Qed.

Lemma meets_dual q r : forall x, meets (dual x) q r <-> ~ meets x q r.
Proof.
  induction x as [[]|c|c|x IHx y IHy|x IHx y IHy]; simpl.
  - split; [discriminate|intros H; exfalso; auto].
  - split; auto.
  - rewrite recurs_or_ceases. tauto.
  - rewrite <- recurs_or_ceases. split; [auto|apply NNPP].
  - rewrite IHx, IHy. split; [tauto|apply not_and_or].
  - rewrite IHx, IHy. tauto.
Qed.

Lemma ends_once q r u : ends_in q r u -> forall v, ends_in q r v -> u = v.
Proof. induction 1; intros v H'; inversion H'; subst; auto. Qed.

(* Violating runs are those that the complement accepts. *)
Theorem complement stop x q r :
  accepts (fun q => negb (stop q)) (dual x) q r <-> ~ accepts stop x q r.
Proof.
  unfold accepts. split.
  - intros [[u [E S]]|[N M]] [[v [E' S']]|[N' M']].
    + rewrite (ends_once _ _ _ E _ E'), S' in S. discriminate.
    + apply (N' u). auto.
    + apply (N v). auto.
    + apply (meets_dual q r x) in M. auto.
  - intros H. destruct (classic (exists u, ends_in q r u)) as [[u E]|N].
    + left. exists u. split; auto. destruct (stop u) eqn:S; auto. exfalso. apply H. left. eauto.
    + right. split; [intros u E; apply N; eauto|]. apply meets_dual. intros M. apply H. right.
      split; auto. intros u E. apply N. eauto.
Qed.

(* Pairs of Rabin's kind: colours that cease, and colours that recur *)
Definition pair_ : Type := list nat * list nat.
Definition meets_pair (x : pair_) (q : nat) (r : trace) : Prop :=
  (forall c, In c (fst x) -> ceases c q r) /\ (forall c, In c (snd x) -> recurs c q r).

(* No colour is to cease and to recur. *)
Definition consistent (u : pair_) : bool := forallb (fun c => negb (existsb (Nat.eqb c) (snd u))) (fst u).

Definition times (us vs : list pair_) : list pair_ :=
  filter consistent (flat_map (fun u => map (fun v => (fst u ++ fst v, snd u ++ snd v)) vs) us).

(* The condition multiplied out *)
Fixpoint pairs (x : condition) : list pair_ :=
  match x with
  | Always_ true => [([], [])]
  | Always_ false => []
  | Inf c => [([], [c])]
  | Fin c => [([c], [])]
  | And x y => times (pairs x) (pairs y)
  | Or x y => pairs x ++ pairs y
  end.

Lemma met_consistent u q r : meets_pair u q r -> consistent u = true.
Proof.
  intros [F I]. apply forallb_forall. intros c Hc. apply negb_true_iff, not_true_iff_false. intros E.
  apply existsb_exists in E. destruct E as [d [Hd E]]. apply Nat.eqb_eq in E. subst d.
  destruct (F c Hc) as [k K]. destruct (I c Hd k) as [i [Hi S]]. rewrite (K i Hi) in S. discriminate.
Qed.

(* A condition is met iff one of its pairs is. *)
Theorem multiplied_out q r : forall x, meets x q r <-> exists u, In u (pairs x) /\ meets_pair u q r.
Proof.
  induction x as [[]|c|c|x IHx y IHy|x IHx y IHy]; cbn [meets pairs].
  - split; auto. intros _. exists ([], []). split; [left; auto|]. split; intros c [].
  - split; [discriminate|]. intros [u [[] _]].
  - split.
    + intros H. exists ([], [c]). split; [left; auto|]. split; [intros d []|]. intros d [<-|[]]. auto.
    + intros [u [[<-|[]] [_ H]]]. apply H. left. auto.
  - split.
    + intros H. exists ([c], []). split; [left; auto|]. split; [|intros d []]. intros d [<-|[]]. auto.
    + intros [u [[<-|[]] [H _]]]. apply H. left. auto.
  - rewrite IHx, IHy. split.
    + intros [[u [Hu [F I]]] [v [Hv [F' I']]]]. exists (fst u ++ fst v, snd u ++ snd v).
      assert (M : meets_pair (fst u ++ fst v, snd u ++ snd v) q r).
      { split; intros c H; apply in_app_or in H; destruct H; auto. }
      split; auto. unfold times. apply filter_In. split; [|apply (met_consistent _ _ _ M)].
      apply in_flat_map. exists u. split; auto. apply in_map_iff. eauto.
    + intros [w [H [F I]]]. unfold times in H. apply filter_In in H. destruct H as [H _]. apply in_flat_map in H. destruct H as [u [Hu H]]. apply in_map_iff in H.
      destruct H as [v [<- Hv]]. simpl in F, I.
      split; [exists u|exists v]; (split; auto); split; intros; auto using in_or_app.
  - rewrite IHx, IHy. split.
    + intros [[u [Hu H]]|[u [Hu H]]]; exists u; split; auto using in_or_app.
    + intros [u [Hu H]]. apply in_app_or in Hu. destruct Hu; [left|right]; eauto.
Qed.

Lemma ceases_later c q l t r : ceases c (after_ a q l) r <-> ceases c q (Move l t r).
Proof.
  split; intros [k H].
  - exists (S k). intros [|i] Hi; [lia|]. simpl. apply H. lia.
  - exists k. intros i Hi. apply (H (S i)). lia.
Qed.
Lemma recurs_later c q l t r : recurs c (after_ a q l) r <-> recurs c q (Move l t r).
Proof.
  split; intros H k.
  - destruct (H k) as [i [Hi Sh]]. exists (S i). split; auto.
  - destruct (H (S k)) as [[|i] [Hi Sh]]; [lia|]. exists i. split; auto. lia.
Qed.
Lemma meets_later q l t r : forall x, meets x (after_ a q l) r <-> meets x q (Move l t r).
Proof.
  induction x; simpl; try tauto; [apply recurs_later|apply ceases_later].
Qed.
Lemma accepts_later stop x q l t r : accepts stop x (after_ a q l) r -> accepts stop x q (Move l t r).
Proof.
  intros [[u [E S]]|[N M]]; [left|right].
  - exists u. split; auto. constructor. auto.
  - split; [|apply meets_later; auto]. intros u E. inversion E; subst. apply (N u). auto.
Qed.

(* What a certificate claims of one side, and its evidence: places that are listed, whether some
   run from a place is of the side, ranks and missing colours for each pair if none is. *)
Variables (m : lts) (stop : nat -> bool) (x : condition).
Variables (listed can : nat -> nat -> bool).
Notation next := (after_ a).

Hypothesis closed : forall s q l t, listed s q = true -> step m s l t -> listed t (next q l) = true.

Section Never.
(* For each pair, by its number in the list *)
Variables (rank missing : nat -> nat -> nat -> nat).
Definition cannot s q := listed s q = true /\ can s q = false.
Hypothesis never_stops : forall s q, cannot s q -> deadlock m s -> stop q = false.
Hypothesis never_can : forall s q l t, cannot s q -> step m s l t -> can t (next q l) = false.
Hypothesis ranked : forall j u s q l t, nth_error (pairs x) j = Some u -> cannot s q -> step m s l t ->
  (exists c, In c (fst u) /\ has a q l c = true) \/
  rank j t (next q l) < rank j s q \/
  (rank j t (next q l) = rank j s q /\ missing j t (next q l) = missing j s q /\
   In (missing j s q) (snd u) /\ has a q l (missing j s q) = false).

Lemma cannot_on s q l t : cannot s q -> step m s l t -> cannot t (next q l).
Proof. intros H Ht. split; [apply (closed s q l t); auto; apply H|apply (never_can s q l t); auto]. Qed.

Lemma stuck u j : nth_error (pairs x) j = Some u -> forall d s q r, rank j s q = d -> cannot s q -> maximal m s r ->
  (forall q', ~ ends_in q r q') -> (forall c k, In c (fst u) -> shows c q r k = false) ->
  (forall c, In c (snd u) -> recurs c q r) -> False.
Proof.
  intros Hu. induction d as [d IH] using lt_wf_ind.
  assert (Fall : forall s q l t r, rank j s q = d -> rank j t (next q l) < rank j s q -> cannot s q -> step m s l t ->
    maximal m t r -> (forall q', ~ ends_in q (Move l t r) q') -> (forall c k, In c (fst u) -> shows c q (Move l t r) k = false) ->
    (forall c, In c (snd u) -> recurs c q (Move l t r)) -> False).
  { intros s q l t r E D C Ht M N F I. apply (IH (rank j t (next q l)) ltac:(lia) t (next q l) r); auto.
    - apply (cannot_on s q l t); auto.
    - intros q' Q. apply (N q'). constructor. auto.
    - intros c k Hc. apply (F c (S k) Hc).
    - intros c Hc. apply (recurs_later c q l t r). auto. }
  assert (Wait : forall k c s q r, rank j s q = d -> missing j s q = c -> cannot s q -> maximal m s r ->
    (forall q', ~ ends_in q r q') -> (forall c k, In c (fst u) -> shows c q r k = false) ->
    (forall c, In c (snd u) -> recurs c q r) -> shows c q r k = true -> False).
  { induction k as [|k IHk]; intros c s q r E Ec C M N F I Sh; destruct M as [s D|s l t r Ht M]; try discriminate.
    - destruct (ranked j u s q l t Hu C Ht) as [[b [Hb B]]|[B|[B1 [B2 [B3 B4]]]]].
      + specialize (F b 0 Hb). simpl in F. congruence.
      + apply (Fall s q l t r); auto.
      + simpl in Sh. congruence.
    - destruct (ranked j u s q l t Hu C Ht) as [[b [Hb B]]|[B|[B1 [B2 [B3 B4]]]]].
      + specialize (F b 0 Hb). simpl in F. congruence.
      + apply (Fall s q l t r); auto.
      + apply (IHk c t (next q l) r); auto; try congruence.
        * apply (cannot_on s q l t); auto.
        * intros q' Q. apply (N q'). constructor. auto.
        * intros b k' Hb. apply (F b (S k') Hb).
        * intros b Hb. apply (recurs_later b q l t r). auto. }
  intros s q r E C M N F I. destruct M as [s D|s l t r Ht M].
  - apply (N q). constructor.
  - destruct (ranked j u s q l t Hu C Ht) as [[b [Hb B]]|[B|[B1 [B2 [B3 B4]]]]].
    + specialize (F b 0 Hb). simpl in F. congruence.
    + apply (Fall s q l t r); auto.
    + destruct (I (missing j s q) B3 0) as [k [_ Sh]].
      apply (Wait k (missing j s q) s q (Move l t r)); auto. constructor; auto.
Qed.

Lemma bound_all q r (cs : list nat) : (forall c, In c cs -> ceases c q r) ->
  exists k, forall c i, In c cs -> k <= i -> shows c q r i = false.
Proof.
  induction cs as [|c cs IH]; intros H; [exists 0; intros c i []|].
  destruct IH as [k K]; [intros; apply H; right; auto|]. destruct (H c (or_introl eq_refl)) as [k' K'].
  exists (k + k'). intros d i [<-|Hd] Hi; [apply K'|apply K; auto]; lia.
Qed.

Theorem never : forall s q r, cannot s q -> maximal m s r -> ~ accepts stop x q r.
Proof.
  intros s q r C M [[u [E S]]|[N H]].
  - revert s C M. induction E as [q|q l t r u E IH]; intros s C M.
    + inversion M; subst. rewrite (never_stops s q C) in S; auto. discriminate.
    + inversion M; subst. apply (IH S t); auto. apply (cannot_on s q l t); auto.
  - apply multiplied_out in H. destruct H as [u [Hu [F I]]]. destruct (bound_all q r (fst u) F) as [k K]. clear F.
    revert s q r C M N I K. induction k as [|k IH]; intros s q r C M N I K.
    + destruct (In_nth_error _ _ Hu) as [j Hj]. apply (stuck u j Hj _ s q r eq_refl); auto. intros c i Hc. apply K; auto. lia.
    + destruct M as [s D|s l t r Ht M]; [apply (N q); constructor|].
      apply (IH t (next q l) r); auto.
      * apply (cannot_on s q l t); auto.
      * intros q' Q. apply (N q'). constructor. auto.
      * intros c Hc. apply (recurs_later c q l t r). auto.
      * intros c i Hc Hi. apply (K c (S i) Hc). lia.
Qed.
End Never.

Section Some.
Variables (home settle from to : nat -> nat -> nat) (root : nat -> nat * nat) (pair_of : nat -> pair_).

(* A transition between places of home h without the colours that its pair bans *)
Definition stays (h s q l t : nat) : Prop :=
  step m s l t /\ home s q = h /\ home t (next q l) = h /\ forall c, In c (fst (pair_of h)) -> has a q l c = false.

Hypothesis settles : forall s q, listed s q = true -> can s q = true ->
  (deadlock m s /\ stop q = true) \/ 0 < home s q \/
  exists l t, step m s l t /\ can t (next q l) = true /\ settle t (next q l) < settle s q.
Hypothesis to_root : forall s q, 0 < home s q -> (s, q) = root (home s q) \/
  exists l t, stays (home s q) s q l t /\ to t (next q l) < to s q.
Hypothesis from_root : forall s q, 0 < home s q -> (s, q) = root (home s q) \/
  exists u v l, stays (home s q) u v l s /\ next v l = q /\ from u v < from s q.
Hypothesis moves : forall s q, 0 < home s q -> In (pair_of (home s q)) (pairs x) /\
  (exists u v l t, stays (home s q) u v l t) /\
  (forall c, In c (snd (pair_of (home s q))) -> exists u v l t, stays (home s q) u v l t /\ has a v l c = true).

Fixpoint nexts (q : nat) (w : list (nat * nat)) : nat :=
  match w with [] => q | (l, _) :: w' => nexts (next q l) w' end.

Inductive walk (h : nat) : nat -> nat -> list (nat * nat) -> nat -> nat -> Prop :=
| walk_nil s q : walk h s q [] s q
| walk_cons s q l t w u v : stays h s q l t -> walk h t (next q l) w u v -> walk h s q ((l, t) :: w) u v.

Lemma walk_app h s q w u v w' y z : walk h s q w u v -> walk h u v w' y z -> walk h s q (w ++ w') y z.
Proof. induction 1; simpl; auto. intros. econstructor; eauto. Qed.
Lemma walk_run h s q w u v : walk h s q w u v -> run m s w u /\ nexts q w = v.
Proof.
  induction 1 as [|s q l t w u v [Ht _] _ [R N]]; [split; auto; constructor|]. simpl. split; auto. econstructor; eauto.
Qed.

Lemma walk_to h : 0 < h -> forall d s q, to s q <= d -> home s q = h -> exists w, walk h s q w (fst (root h)) (snd (root h)).
Proof.
  intros P. induction d as [d IH] using lt_wf_ind. intros s q D E.
  destruct (to_root s q) as [R|[l [t [St L]]]]; [lia| |].
  - rewrite E in R. exists []. rewrite <- R. constructor.
  - rewrite E in St. destruct (IH (to t (next q l)) ltac:(lia) t (next q l) ltac:(lia)) as [w W]; [apply St|].
    exists ((l, t) :: w). econstructor; eauto.
Qed.
Lemma walk_from h : 0 < h -> forall d s q, from s q <= d -> home s q = h -> exists w, walk h (fst (root h)) (snd (root h)) w s q.
Proof.
  intros P. induction d as [d IH] using lt_wf_ind. intros s q D E.
  destruct (from_root s q) as [R|[u [v [l [St [Nx L]]]]]]; [lia| |].
  - rewrite E in R. exists []. rewrite <- R. constructor.
  - rewrite E in St. destruct (IH (from u v) ltac:(lia) u v ltac:(lia)) as [w W]; [apply St|].
    exists (w ++ [(l, s)]). eapply walk_app; eauto. econstructor; eauto. rewrite Nx. constructor.
Qed.

(* A way from the root round to it that takes a given transition *)
Lemma tour h u v l t : 0 < h -> stays h u v l t -> exists w1 w2,
  walk h (fst (root h)) (snd (root h)) (w1 ++ (l, t) :: w2) (fst (root h)) (snd (root h)) /\
  nexts (snd (root h)) w1 = v.
Proof.
  intros P St. pose proof St as [Ht [E1 [E2 _]]].
  destruct (walk_from h P (from u v) u v (le_n _) E1) as [w1 W1].
  destruct (walk_to h P (to t (next v l)) t (next v l) (le_n _) E2) as [w2 W2].
  exists w1, w2. split; [|apply (walk_run _ _ _ _ _ _ W1)].
  eapply walk_app; [exact W1|]. econstructor; eauto.
Qed.

Definition shown (c q : nat) (w : list (nat * nat)) : Prop :=
  exists w1 l t w2, w = w1 ++ (l, t) :: w2 /\ has a (nexts q w1) l c = true.

Lemma nexts_app w w' : forall q, nexts q (w ++ w') = nexts (nexts q w) w'.
Proof. induction w as [|[l t] w IH]; simpl; auto. Qed.

Lemma grand_tour s q : 0 < home s q -> let h := home s q in let r := root h in
  forall cs, incl cs (snd (pair_of h)) -> exists w, w <> [] /\
    walk h (fst r) (snd r) w (fst r) (snd r) /\ forall c, In c cs -> shown c (snd r) w.
Proof.
  intros P h r cs. destruct (moves s q P) as [_ [[u [v [l [t St]]]] C]]. fold h in St, C.
  induction cs as [|c cs IH]; intros I.
  - destruct (tour h u v l t P St) as [w1 [w2 [W _]]]. exists (w1 ++ (l, t) :: w2).
    split; [destruct w1; discriminate|]. split; auto. intros c [].
  - destruct IH as [w [N [W S]]]; [intros d Hd; apply I; right; auto|].
    destruct (C c) as [u' [v' [l' [t' [St' H]]]]]; [apply I; left; auto|].
    destruct (tour h u' v' l' t' P St') as [w1 [w2 [W' E]]]. exists (w ++ (w1 ++ (l', t') :: w2)).
    split; [destruct w; [contradiction|discriminate]|]. split; [eapply walk_app; eauto|].
    intros d [<-|Hd].
    + exists (w ++ w1), l', t', w2. split; [rewrite <- app_assoc; auto|].
      rewrite nexts_app. destruct (walk_run _ _ _ _ _ _ W) as [_ ->]. unfold r. rewrite E. auto.
    + destruct (S d Hd) as [y1 [l1 [t1 [y2 [-> B]]]]]. exists y1, l1, t1, (y2 ++ w1 ++ (l', t') :: w2).
      split; auto. rewrite <- app_assoc. auto.
Qed.

Lemma shows_after c w : forall q r k, shows c q (after w r) (length w + k) = shows c (nexts q w) r k.
Proof. induction w as [|[l t] w IH]; simpl; auto. Qed.
Lemma shown_after c q w r : shown c q w -> exists k, shows c q (after w r) k = true.
Proof.
  intros [w1 [l [t [w2 [-> H]]]]]. exists (length w1 + 0). rewrite after_app, shows_after. simpl. auto.
Qed.

Lemma rounds_endless w : w <> [] -> forall q r q', ends_in q r q' -> forall w', r = rounds w w' -> False.
Proof.
  intros N. induction 1 as [q|q l t r q' E IH]; intros w' Er; rewrite rounds_eq in Er;
    destruct w' as [|[l0 t0] w'].
  - destruct w as [|[l1 t1] w1]; [apply N; auto|discriminate].
  - discriminate.
  - destruct w as [|[l1 t1] w1]; [apply N; auto|]. inversion Er; subst. apply (IH w1). auto.
  - inversion Er; subst. apply (IH w'). auto.
Qed.

Lemma home_run s q : 0 < home s q -> exists r, maximal m s r /\ accepts stop x q r.
Proof.
  intros P. destruct (grand_tour s q P (snd (pair_of (home s q))) (incl_refl _)) as [w [N [W Sc]]].
  set (h := home s q) in *. set (u := fst (root h)) in *. set (v := snd (root h)) in *.
  destruct (walk_run _ _ _ _ _ _ W) as [R Nx].
  assert (Go : forall y z y' z' w', walk h y z w' y' z' -> y' = u -> z' = v -> maximal m y (rounds w w')).
  { intros y z y' z' w' Y -> ->. apply (rounds_maximal m w u N R). apply (walk_run _ _ _ _ _ _ Y). }
  destruct (walk_to h P (to s q) s q (le_n _) eq_refl) as [w0 W0]. fold u v in W0.
  exists (rounds w w0). split; [apply (Go s q u v w0 W0); auto|]. right. split.
  - intros q' E. apply (rounds_endless w N _ _ _ E w0 eq_refl).
  - apply multiplied_out. exists (pair_of h). split; [apply moves; auto|]. split.
    + intros c Hc. exists 0. intros i _.
      assert (G : forall i y z w', walk h y z w' u v -> shows c z (rounds w w') i = false).
      { clear i. induction i as [|i IH]; intros y z w' Y.
        - assert (K : forall y z w', walk h y z w' u v -> w' <> [] -> shows c z (rounds w w') 0 = false).
          { clear y z w' Y. intros y z w' Y Nw. rewrite rounds_eq.
            inversion Y as [|y1 z1 l t w1 y2 z2 [_ [_ [_ B]]] Y']; subst; [contradiction|]. simpl. auto. }
          destruct w' as [|e w']; [|apply (K y z (e :: w') Y); discriminate].
          rewrite rounds_nil. inversion Y; subst. apply (K u v w W N).
        - assert (K : forall y z w', walk h y z w' u v -> w' <> [] -> shows c z (rounds w w') (S i) = false).
          { clear y z w' Y. intros y z w' Y Nw. rewrite rounds_eq.
            inversion Y as [|y1 z1 l t w1 y2 z2 St Y']; subst; [contradiction|]. simpl. apply (IH t (next z l)). exact Y'. }
          destruct w' as [|e w']; [|apply (K y z (e :: w') Y); discriminate].
          rewrite rounds_nil. inversion Y; subst. apply (K u v w W N). }
      apply (G i s q w0 W0).
    + intros c Hc. rewrite rounds_after. set (r := rounds w []).
      assert (E : r = after w r) by (unfold r; rewrite rounds_nil at 1; apply rounds_after).
      assert (Z : forall k j, shows c v r (k * length w + j) = shows c v r j).
      { induction k as [|k IH]; intros j; auto. rewrite E at 1.
        replace (S k * length w + j) with (length w + (k * length w + j)) by (simpl; lia).
        rewrite shows_after, Nx. apply IH. }
      destruct (shown_after c v w r (Sc c Hc)) as [j J]. rewrite <- E in J.
      assert (L : 1 <= length w) by (destruct w; [contradiction|simpl; lia]).
      intros k. exists (length w0 + (k * length w + j)). split; [nia|].
      rewrite shows_after. destruct (walk_run _ _ _ _ _ _ W0) as [_ ->]. rewrite Z. exact J.
Qed.

Theorem some_run : forall s q, listed s q = true -> can s q = true -> exists r, maximal m s r /\ accepts stop x q r.
Proof.
  enough (G : forall d s q, settle s q <= d -> listed s q = true -> can s q = true ->
    exists r, maximal m s r /\ accepts stop x q r) by (intros s q; apply (G (settle s q)); auto).
  induction d as [d IH] using lt_wf_ind. intros s q D L C. destruct (settles s q L C) as [[E F]|[H|[l [t [Ht [Ct Lt]]]]]].
  - exists Stop. split; [constructor; auto|]. left. exists q. split; auto. constructor.
  - apply home_run; auto.
  - destruct (IH (settle t (next q l)) ltac:(lia) t (next q l) (le_n _)) as [r [M A]]; auto.
    { apply (closed s q l t); auto. }
    exists (Move l t r). split; [constructor; auto|]. apply accepts_later. auto.
Qed.
End Some.
End Runs.

(* The trace, read from state q, satisfies the property. *)
Definition satisfies_from (a : automaton) (q : nat) (r : trace) : Prop := accepts a (stops a) (accepts_by a) q r.

Lemma satisfies_after a w : forall q r, satisfies_from a q (after w r) <-> satisfies_from a (nexts a q w) r.
Proof.
  induction w as [|[l t] w IH]; simpl; intros q r; [tauto|]. rewrite <- IH. unfold satisfies_from, accepts. split.
  - intros [[u [E H]]|[N H]]; [left|right].
    + inversion E; subst. eauto.
    + split; [|apply meets_later in H; auto]. intros u E. apply (N u). constructor. auto.
  - intros H. apply accepts_later. exact H.
Qed.
