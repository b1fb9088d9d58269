(* Reads what certificates of all properties have (docs/certificates.md). *)
open Wrong
open Checker

(* Lists of numbers, one for each state. *)
type lists = { start : Ints.t; values : Numbers.t; base : int }

let lists states base = { start = Ints.make (states + 1); values = Numbers.create (); base }

let member_list x name r s want =
  Json.member x name;
  Json.opening x '[';
  r.start.%(s) <- r.values.count;
  while Json.more x do Numbers.add r.values (Json.number x) done;
  let found = r.values.count - r.start.%(s) in
  if found <> want then fail "state %d: %s has %d numbers, not %d" s name found want

let entry r s v = Numbers.get r.values (r.start.%(s) + v - r.base)

let number x name = Json.member x name; Json.number x

let letter s = function
  | 'c' -> '\000' | 'i' -> '\001' | 'n' -> '\002' | 'e' -> '\003'
  | c -> fail "state %d: out has %C, which is not a class" s c

let class_names = [ "correct", Correct; "incorrect", Incorrect; "neutral", Neutral; "excluded", Excluded ]
let kinds = [ "correct", KCorrect; "incorrect", KIncorrect; "mixed-neutral", KMixedNeutral; "mixed", KMixed ]

let read_head x (m : Model.t) (p : Property.t) under =
  let same name want =
    let found = number x name in
    if found <> want then fail "made for another model: %s is %d there, %d here" name found want in
  Json.opening x '{';
  Json.member x "schema";
  let schema = Json.text x in
  if schema <> "inev.certificate/1" then fail "schema is %S; this program knows inev.certificate/1" schema;
  Json.member x "model";
  Json.opening x '{';
  same "initial" m.initial; same "states" m.states; same "transitions" (Ints.length m.target);
  Json.member x "sha256";
  let digest = Json.text x in
  if digest <> m.digest then fail "made for another model: its transitions have the sha256 %s, which is not that of the transitions here" digest;
  Json.ending x '}';
  Json.member x "property";
  let property = Json.text x in
  if property <> Json.clean p.text then fail "made for another property, %s" property;
  let made = ref [] in
  if Json.member_of x [ "verdict"; "fairness" ] = "fairness" then begin
    Json.opening x '[';
    while Json.more x do made := Json.text x :: !made done;
    Json.member x "verdict"
  end;
  (match p.kind with
   | Property.Automaton _ when !made <> [] ->
     fail "made under the assumption %s; under assumptions this program checks certificates of Inev only; inev verify checks others"
       (String.concat " and " (List.rev !made))
   | _ -> ());
  let made = List.rev !made and under = List.map Json.clean under in
  if made <> under then
    if made = [] then fail "made for all runs, under no assumption"
    else if List.sort compare made = List.sort compare under then
      fail "made with the assumptions in another order; tasks are numbered in it, so write STEPS.tsv with --fair in this one: %s" (String.concat " and " made)
    else fail "made for other runs, under the assumption %s" (String.concat " and " made)

let read_moves x (m : Model.t) progress =
  let len = number x "length" in
  Json.member x "loop_start";
  let loop = if Json.literal x "null" then None else Some (Json.number x) in
  Json.member x "steps";
  Json.opening x '[';
  let moves = ref [] in
  while Json.more x do
    Json.opening x '{';
    let x_from = number x "from" in
    let x_out = number x "out" in
    Json.member x "label";
    let text = Json.text x in
    (* A label that is not that of the transition has no number. *)
    let at = Model.row m x_from x_out in
    let x_label = if at >= 0 && Json.clean m.labels.(m.label.%(at)) = text then m.label.%(at) else Array.length m.labels in
    let x_to = number x "to" in
    Json.member x "class";
    let x_class = Json.word x class_names in
    let x_progress = number x progress in
    Json.member x "fate";
    let x_fated = Json.word x [ "free", false; "fated", true ] in
    Json.member x "neighbourhood";
    let x_near = Json.truth x in
    Json.member x "abstracted";
    let x_kept = Json.truth x in
    Json.ending x '}';
    moves := { x_from; x_out; x_label; x_to; x_class; x_progress; x_fated; x_near; x_kept } :: !moves
  done;
  Json.ending x '}';
  Some ((len, loop), List.rev !moves)

(* What is wrong, in words. *)
let explain place (part, at) =
  let place text = Printf.sprintf "place %s: %s" (place at) text in
  let state = Printf.sprintf "state %d: %s" at in
  match part with
  | AtBegin -> state "it was added before those where runs begin, but a transition from it does a step, or there is none"
  | AtInitial -> state "the initial state is not listed"
  | AtRange | AtEntry | AtFirst | AtLeast | AtCommonSuffix | AtMaxSuffix -> state "what is said of it is wrong"
  | AtIndex -> state "the index of transitions is wrong, which is a mistake of this program"
  | AtVerdict -> "verdict is not what is said of the initial place"
  | AtClass -> state "out is not what the places make it"
  | AtCorrect -> "classes: the number of correct transitions is wrong"
  | AtIncorrect -> "classes: the number of incorrect transitions is wrong"
  | AtNeutral -> "classes: the number of neutral transitions is wrong"
  | AtExcluded -> "classes: the number of excluded transitions is wrong"
  | AtSuffix -> state "ms or cs is not what the transitions make it"
  | AtStay -> state "no run stays at its home as it is said"
  | AtTask -> state "a run that stays at its home is not fair"
  | AtSettle -> state "cs is not reached as settle says"
  | AtSet -> Printf.sprintf "set %d: its parent cannot have it" (at + 1)
  | AtRank -> state "due is not what the transitions make it"
  | AtAdmitted -> Printf.sprintf "verdict: there is none, for no run from the initial state %d is admitted" at
  | AtNeighbourhood -> Printf.sprintf "neighbourhoods: what is said of state %d is wrong" at
  | AtOrder -> state "its places are in a wrong order, which is a mistake of this program"
  | AtPlace -> place "a transition from it leads elsewhere, which is a mistake of this program"
  | AtFar -> place "first is not what the transitions make it"
  | AtSide false -> place "what is said of runs that satisfy the property is wrong"
  | AtSide true -> place "what is said of runs that violate the property is wrong"
  | AtHome _ -> Printf.sprintf "home %d: no run stays there as it is said" (at + 1)
  | AtHomePlace _ -> place "the distances from the root of its home, or to it, are wrong"
  | AtStep -> Printf.sprintf "counterexample: step %d is wrong" (at + 1)
  | AtLength -> Printf.sprintf "counterexample: length is %d, which is not the number of steps" at
  | AtLoop -> Printf.sprintf "counterexample: it comes to state %d, and does not go on so that the property is violated" at
  | AtEnd -> "counterexample: there is one, but the verdict is satisfied"
  | AtSoon -> "near: " ^ state "soon is not what the transitions make it"
  | AtDeadlock -> Printf.sprintf "counterexample: a run to the deadlock %d is shorter" at
  | AtHead -> state "a loop that ends with a transition from it can be shorter, and there is no search for it"
  | AtSearch -> Printf.sprintf "search %d: it is wrong, or finds a loop of a shorter run" (at + 1)
  | AtAbsent -> "counterexample: there is none, but the verdict is violated"

(* What is claimed of the whole *)
type head = { violated : bool; correct : int; incorrect : int; neutral : int; excluded : int; how : reading }

let read_claims x m p under excludes =
  read_head x m p under;
  let violated = Json.word x [ "satisfied", false; "violated", true ] in
  Json.member x "classes";
  Json.opening x '{';
  let correct = number x "correct" in
  let incorrect = number x "incorrect" in
  let neutral = number x "neutral" in
  let excluded = if excludes then number x "excluded" else 0 in
  Json.ending x '}';
  Json.member x "neighbourhood_reading";
  let how = Json.word x [ "all", All; "some", Some_ ] in
  { violated; correct; incorrect; neutral; excluded; how }

(* The classes of the transitions of s *)
let read_out x (m : Model.t) classes s =
  Json.member x "out";
  let letters = Json.text x and d = Model.degree m s in
  if String.length letters <> d then fail "state %d: out has %d classes, but %d transitions leave the state" s (String.length letters) d;
  String.iteri (fun i c -> Bytes.set classes (m.start.%(s) + i) (letter s c)) letters

let class_of m classes s i =
  let at = Model.row m s i in
  if at < 0 then Neutral else match Bytes.get classes at with '\000' -> Correct | '\001' -> Incorrect | '\002' -> Neutral | _ -> Excluded

(* What stands behind the states: neighbourhoods and the counterexample *)
let read_rest x m progress =
  Json.member x "neighbourhoods";
  Json.opening x '[';
  let neighbourhoods = ref [] in
  while Json.more x do
    Json.opening x '{';
    let s = number x "state" in
    Json.member x "kind";
    let kind = Json.word x kinds in
    let d = number x "distance_from_initial" in
    Json.ending x '}';
    neighbourhoods := ((s, kind), d) :: !neighbourhoods
  done;
  Json.member x "counterexample";
  let counterexample = if Json.literal x "null" then None else (Json.opening x '{'; read_moves x m progress) in
  List.rev !neighbourhoods, counterexample

let finish x = Json.ending x '}'; Json.finish x

let counted h = function Correct -> h.correct | Incorrect -> h.incorrect | Neutral -> h.neutral | Excluded -> h.excluded

let verdict h states =
  Printf.sprintf "certificate verified: %s, %d states, %d transitions"
    (if h.violated then "violated" else "satisfied") states (h.correct + h.incorrect + h.neutral + h.excluded)
