(* Reads a certificate (docs/certificates.md) of a chain, and has it checked; and what those of all
   properties have. *)
open Wrong
open Checker

(* Lists of numbers, one for each state. *)
type lists = { start : int array; values : Numbers.t; base : int }

let lists states base = { start = Array.make (states + 1) 0; values = Numbers.create (); base }

let member_list x name r s want =
  Json.member x name;
  Json.opening x '[';
  r.start.(s) <- r.values.count;
  while Json.more x do Numbers.add r.values (Json.number x) done;
  let found = r.values.count - r.start.(s) in
  if found <> want then fail "state %d: %s has %d numbers, not %d" s name found want

let entry r s v = Numbers.get r.values (r.start.(s) + v - r.base)

let number x name = Json.member x name; Json.number x

let letter s = function
  | 'c' -> '\000' | 'i' -> '\001' | 'n' -> '\002'
  | c -> fail "state %d: out has %C, which is no class" s c

let class_names = [ "correct", Correct; "incorrect", Incorrect; "neutral", Neutral ]
let kinds = [ "correct", KCorrect; "incorrect", KIncorrect; "mixed-neutral", KMixedNeutral; "mixed", KMixed ]

let read_head x (m : Model.t) (p : Property.t) =
  let same name want =
    let found = number x name in
    if found <> want then fail "made for another model: %s is %d there, %d here" name found want in
  Json.opening x '{';
  Json.member x "schema";
  let schema = Json.text x in
  if schema <> "inev.certificate/1" then fail "schema is %S; this program knows inev.certificate/1" schema;
  Json.member x "model";
  Json.opening x '{';
  same "initial" m.initial; same "states" m.states; same "transitions" (Array.length m.target);
  Json.member x "sha256";
  let digest = Json.text x in
  if digest <> m.digest then fail "made for another model: its transitions differ from those here (sha256 %s)" digest;
  Json.ending x '}';
  Json.member x "property";
  let property = Json.text x in
  if property <> Json.clean p.text then fail "made for another property, %s" property;
  if Json.member_of x [ "verdict"; "fairness" ] = "fairness" then begin
    Json.opening x '[';
    if Json.more x then fail "made for other runs, under the assumption %s; this program knows no assumptions" (Json.text x);
    Json.member x "verdict"
  end

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
    let x_label = if at >= 0 && Json.clean m.labels.(m.label.(at)) = text then m.label.(at) else Array.length m.labels in
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
  | AtInitial -> state "the initial state is not listed"
  | AtRange | AtEntry | AtFirst | AtLeast | AtCommonSuffix | AtMaxSuffix -> state "what is said of it is wrong"
  | AtIndex -> state "the index of transitions is wrong, which is a mistake of this program"
  | AtVerdict -> "verdict is not what is said of the initial place"
  | AtClass -> state "out is not what the places make it"
  | AtCorrect -> "classes: the number of correct transitions is wrong"
  | AtIncorrect -> "classes: the number of incorrect transitions is wrong"
  | AtNeutral -> "classes: the number of neutral transitions is wrong"
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
  | AtAbsent -> "counterexample: there is none, but the verdict is violated"

(* What is claimed of the whole *)
type head = { violated : bool; correct : int; incorrect : int; neutral : int; how : reading }

let read_claims x m p =
  read_head x m p;
  let violated = Json.word x [ "satisfied", false; "violated", true ] in
  Json.member x "classes";
  Json.opening x '{';
  let correct = number x "correct" in
  let incorrect = number x "incorrect" in
  let neutral = number x "neutral" in
  Json.ending x '}';
  Json.member x "neighbourhood_reading";
  let how = Json.word x [ "all", All; "some", Some_ ] in
  { violated; correct; incorrect; neutral; how }

(* The classes of the transitions of s *)
let read_out x (m : Model.t) classes s =
  Json.member x "out";
  let letters = Json.text x and d = Model.degree m s in
  if String.length letters <> d then fail "state %d: out has %d classes, but %d transitions leave the state" s (String.length letters) d;
  String.iteri (fun i c -> Bytes.set classes (m.start.(s) + i) (letter s c)) letters

let class_of m classes s i =
  let at = Model.row m s i in
  if at < 0 then Neutral else match Bytes.get classes at with '\000' -> Correct | '\001' -> Incorrect | _ -> Neutral

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
  Json.ending x '}';
  Json.finish x;
  List.rev !neighbourhoods, counterexample

let counted h = function Correct -> h.correct | Incorrect -> h.incorrect | Neutral -> h.neutral

let verdict h states =
  Printf.sprintf "certificate verified: %s, %d states, %d transitions"
    (if h.violated then "violated" else "satisfied") states (h.correct + h.incorrect + h.neutral)

(* Returns what the command says of a certificate that is right; fails otherwise. *)
let check_chain (m : Model.t) (p : Property.t) chain file =
  let x = Json.create file and n = m.states in
  let h = read_claims x m p in
  let listed = Bytes.make n '\000' and classes = Bytes.make (Array.length m.target) '\000' in
  let numbers () = Array.make n 0 in
  let mp = numbers () and cp = numbers () and ms = numbers () and cs = numbers () and least = numbers () in
  let first = lists n 0 and next = lists n 1 and due = lists n 1 in
  let states = ref 0 and behind = ref 0 in
  Json.member x "states";
  Json.opening x '[';
  while Json.more x do
    Json.opening x '{';
    let s = number x "state" in
    if s >= n then fail "state %d is listed, but the model has %d states" s n;
    if s < !behind then fail "state %d is listed twice, or behind a larger one" s;
    behind := s + 1;
    incr states;
    Bytes.set listed s '\001';
    mp.(s) <- number x "mp"; cp.(s) <- number x "cp"; ms.(s) <- number x "ms"; cs.(s) <- number x "cs";
    least.(s) <- number x "least";
    member_list x "first" first s (mp.(s) + 1);
    member_list x "next" next s ms.(s);
    member_list x "due" due s cs.(s);
    read_out x m classes s;
    Json.ending x '}'
  done;
  let neighbourhoods, counterexample = read_rest x m "progress" in
  let is s = s >= 0 && s < n in
  let of_state a s = if is s then a.(s) else 0 and of_list r s v = if is s then entry r s v else 0 in
  let listed s = is s && Bytes.get listed s = '\001' in
  let claims = {
    violated = h.violated; listed; mp = of_state mp; cp = of_state cp; ms = of_state ms; cs = of_state cs;
    class_of = class_of m classes; count = counted h; how = h.how; neighbourhoods; counterexample } in
  let evidence = { least = of_state least; first = of_list first; next = of_list next; due = of_list due } in
  let index = Model.index m listed in
  match Checker.check (Model.lts m) chain claims evidence index with
  | Some mistake ->
    fail "%s" (match Words.explain m chain claims evidence index mistake with Some text -> text | None -> explain string_of_int mistake)
  | None -> verdict h !states
