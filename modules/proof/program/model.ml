(* Models: a reader of .aut files. *)
open Wrong

type t = {
  states : int;
  initial : int;
  added : bool; (* whether the initial state was added before those where runs begin *)
  labels : string array;
  start : Ints.t; (* of the transitions of each state, and of those behind the last one *)
  label : Ints.t;
  target : Ints.t;
  digest : string; (* SHA-256 of the model as "inev convert" writes it *)
}

let blank c = c = ' ' || c = '\t'

let trim s =
  let from = ref 0 and upto = ref (String.length s) in
  while !from < !upto && blank s.[!from] do incr from done;
  while !upto > !from && blank s.[!upto - 1] do decr upto done;
  String.sub s !from (!upto - !from)

let number line s =
  let s = trim s in
  if s = "" || String.length s > 10 then fail "line %d: a number was expected" line;
  String.fold_left (fun n c ->
    if c < '0' || c > '9' then fail "line %d: a number was expected" line;
    (10 * n) + Char.code c - 48) 0 s

(* What stands between parentheses, cut at its first comma and at its last one. *)
let fields line s =
  let s = trim s in
  let n = String.length s in
  if n < 2 || s.[0] <> '(' || s.[n - 1] <> ')' then fail "line %d: this is no transition" line;
  match String.index_opt s ',', String.rindex_opt s ',' with
  | Some i, Some j when i < j ->
    String.sub s 1 (i - 1), trim (String.sub s (i + 1) (j - i - 1)), String.sub s (j + 1) (n - j - 2)
  | _ -> fail "line %d: this is no transition" line

let unquoted s =
  let n = String.length s in
  if n >= 2 && s.[0] = '"' && s.[n - 1] = '"' then String.sub s 1 (n - 2) else s

let read file =
  let line = ref 0 in
  let rec next () =
    match input_line file with
    | exception End_of_file -> None
    | s ->
      incr line;
      let n = String.length s in
      let s = if n > 0 && s.[n - 1] = '\r' then String.sub s 0 (n - 1) else s in
      if trim s = "" then next () else Some s in
  let initial, transitions, states =
    match next () with
    | None -> fail "the file is empty"
    | Some s ->
      let s = trim s in
      if String.length s < 3 || String.sub s 0 3 <> "des" then fail "line %d: an .aut file begins with des" !line;
      let i, t, s = fields !line (String.sub s 3 (String.length s - 3)) in
      number !line i, number !line t, number !line s in
  if initial >= states then fail "the initial state %d is none of %d states" initial states;
  if transitions >= 1 lsl 32 || states > (64 * transitions) + 1000000 then
    fail "the header claims %d states and %d transitions" states transitions;
  let numbers = Hashtbl.create 64 and names = ref [] in
  let hash = Sha256.create () in
  Sha256.add hash (Printf.sprintf "des (%d, %d, %d)\n" initial transitions states);
  let from = Numbers.create () and label = Numbers.create () and target = Numbers.create () in
  let rec all () =
    match next () with
    | None -> ()
    | Some s ->
      let a, b, c = fields !line s in
      let a = number !line a and c = number !line c and b = unquoted b in
      if a >= states || c >= states then fail "line %d: there are only %d states" !line states;
      let l =
        match Hashtbl.find_opt numbers b with
        | Some l -> l
        | None ->
          let l = Hashtbl.length numbers in
          Hashtbl.add numbers b l;
          names := b :: !names;
          l in
      Sha256.add hash (Printf.sprintf "(%d, \"%s\", %d)\n" a b c);
      Numbers.add from a; Numbers.add label l; Numbers.add target c;
      all () in
  all ();
  if from.count <> transitions then fail "the header claims %d transitions, but there are %d" transitions from.count;
  let start = Ints.make (states + 1) in
  for i = 0 to transitions - 1 do
    let s = Numbers.get from i in
    start.%(s + 1) <- start.%(s + 1) + 1
  done;
  for s = 1 to states do start.%(s) <- start.%(s) + start.%(s - 1) done;
  let free = Bytes.copy start and row = Ints.make transitions and targets = Ints.make transitions in
  for i = 0 to transitions - 1 do
    let s = Numbers.get from i in
    let at = free.%(s) in
    free.%(s) <- at + 1;
    row.%(at) <- Numbers.get label i;
    targets.%(at) <- Numbers.get target i
  done;
  { states; initial; added = false; labels = Array.of_list (List.rev !names); start; label = row; target = targets;
    digest = Sha256.hex hash }

let degree m s = if s >= 0 && s < m.states then m.start.%(s + 1) - m.start.%(s) else 0

(* Where transition i of state s stands in label and target, -1 if there is none. *)
let row m s i = if i >= 0 && i < degree m s then m.start.%(s) + i else -1

(* The model in which runs begin behind transitions with these labels, if there are any *)
let beginning m begins =
  let added = Array.mem true begins in
  for s = 0 to m.states - 1 do
    for i = 0 to degree m s - 1 do
      let l = m.label.%(m.start.%(s) + i) in
      if added && (s = m.initial) <> begins.(l) then fail "runs begin behind other transitions than those with the label %s" m.labels.(l)
    done
  done;
  { m with added }

let lts m : Checker.lts = {
  size = m.states; initial = m.initial; added = m.added; degree = degree m;
  label = (fun s i -> let at = row m s i in if at < 0 then 0 else m.label.%(at));
  target = (fun s i -> let at = row m s i in if at < 0 then 0 else m.target.%(at)) }

(* The transitions from listed states, by their targets. *)
let index m listed : Checker.index =
  let start = Ints.make (m.states + 1) and count = Ints.length m.target in
  let each f =
    for s = 0 to m.states - 1 do
      if listed s then for at = m.start.%(s) to m.start.%(s + 1) - 1 do f s at m.target.%(at) done
    done in
  each (fun _ _ t -> start.%(t + 1) <- start.%(t + 1) + 1);
  for s = 1 to m.states do start.%(s) <- start.%(s) + start.%(s - 1) done;
  let source = Ints.make count and place = Ints.make count and position = Ints.make count in
  let free = Bytes.copy start in
  each (fun s at t ->
    source.%(free.%(t)) <- s;
    place.%(free.%(t)) <- at - m.start.%(s);
    position.%(at) <- free.%(t) - start.%(t);
    free.%(t) <- free.%(t) + 1);
  let indegree t = if t >= 0 && t < m.states then start.%(t + 1) - start.%(t) else 0 in
  let get array t k = if k >= 0 && k < indegree t then array.%(start.%(t) + k) else 0 in
  { indegree; source = get source; place = get place;
    position = (fun s i -> let at = row m s i in if at < 0 then 0 else position.%(at)) }
