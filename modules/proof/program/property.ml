(* What labels do for a property: a reader of what "inev formula --steps-out" writes. *)
open Wrong

(* The assumptions as they are written, and the number of their tasks *)
type fairness = { made : string list; assumed : Checker.assumption; strongly : bool array }
type kind = Chain of Checker.chain * fairness option | Automaton of Checker.automaton * int (* and its number of states *)
(* begins tells of which labels lead to where runs begin, from a state that was added. *)
type t = { text : string; kind : kind; begins : bool array }

let unescape line s =
  let b = Buffer.create (String.length s) and i = ref 0 and n = String.length s in
  while !i < n do
    if s.[!i] <> '\\' then Buffer.add_char b s.[!i]
    else begin
      incr i;
      match if !i < n then s.[!i] else ' ' with
      | '\\' -> Buffer.add_char b '\\'
      | 't' -> Buffer.add_char b '\t'
      | 'n' -> Buffer.add_char b '\n'
      | 'r' -> Buffer.add_char b '\r'
      | 'x' when !i + 2 < n ->
        (match int_of_string_opt ("0x" ^ String.sub s (!i + 1) 2) with
         | Some c -> Buffer.add_char b (Char.chr c)
         | None -> fail "line %d: a wrong escape" line);
        i := !i + 2
      | _ -> fail "line %d: a wrong escape" line
    end;
    incr i
  done;
  Buffer.contents b

let cells line count s =
  match String.split_on_char '\t' s with
  | a :: rest when List.length rest = count - 1 -> unescape line a, rest
  | _ -> fail "line %d: %d cells were expected" line count

(* Numbers with commas between them *)
let numbers line most s =
  if s = "" then []
  else List.map (fun part ->
    let i = Model.number line part in
    if i >= most then fail "line %d: %d is too large" line i;
    i) (String.split_on_char ',' s)

(* Calls f with the number of each label of the model, and with the line for it and its other cells. Returns the cells of all
   labels, since some may be in no transition. *)
let each_label file line count labels f =
  let known = Hashtbl.create 64 in
  (try while true do
     let s = input_line file in
     incr line;
     let label, rest = cells !line count s in
     if Hashtbl.mem known label then fail "line %d: the label stands there twice" !line;
     Hashtbl.add known label (!line, rest)
   done with End_of_file -> ());
  Array.iteri (fun l text ->
    match Hashtbl.find_opt known text with
    | None -> fail "the label %s of the model is not there" text
    | Some (line, rest) -> f l line rest) labels;
  Hashtbl.fold (fun _ (_, rest) all -> rest :: all) known []

let next_line file name = try input_line file with End_of_file -> fail "the file ends where %s was expected" name

(* The second line, of assumptions: full, or a cell for each task *)
let read_tasks file line =
  incr line;
  match String.split_on_char '\t' (next_line file "tasks") with
  | [ "full" ] -> true, [||]
  | "tasks" :: kinds -> false, Array.of_list (List.map (function
    | "weak" -> false, false | "weak!" -> false, true | "strong" -> true, false | "strong!" -> true, true
    | kind -> fail "line %d: %s is no kind of fairness" !line kind) kinds)
  | _ -> fail "line %d: full or tasks was expected" !line

let read_chain file line labels begins steps made =
  let n = Model.number 1 steps and width = Array.length labels in
  if n = 0 || n > 65535 then fail "line 1: the property has %d steps" n;
  (* By step, then by label: a byte each. *)
  let table = Bytes.make ((n + 1) * width) '\000' in
  let full, tasks = if made = [] then false, [||] else read_tasks file line in
  let of_label = Array.make width [] and finitely = Array.make width false in
  let all = each_label file line (if made = [] then 2 else 4) labels (fun l line rest ->
    if List.hd rest = "begins" then begins.(l) <- true
    else List.iter (fun i ->
      if i = 0 then fail "line %d: there is no step 0" line;
      Bytes.set table ((i * width) + l) '\001') (numbers line (n + 1) (List.hd rest));
    match List.tl rest with
    | [ cell; rare ] ->
      if rare <> "" && rare <> "finitely" then fail "line %d: finitely was expected" line;
      of_label.(l) <- numbers line (Array.length tasks) cell;
      finitely.(l) <- rare <> ""
    | _ -> ()) in
  let does i l = i >= 1 && i <= n && l >= 0 && l < width && Bytes.get table ((i * width) + l) = '\001' in
  let at array other i = if i >= 0 && i < Array.length array then array.(i) else other in
  let assumed : Checker.assumption = {
    full; tasks_of = at of_label []; strong = (fun k -> fst (at tasks (false, false) k)); nonstuttering = (fun k -> snd (at tasks (false, false) k));
    rare = if List.exists (List.mem "finitely") (List.map List.tl all) then Some (at finitely false) else None } in
  Chain ({ steps = n; does }, if made = [] then None else Some { made; assumed; strongly = Array.map fst tasks })

let colours = 64
let most_pairs = 1024

(* A condition as HOA has it, such as Inf(0)&(Fin(1)|Inf(2)) *)
let condition s : Checker.condition =
  if String.length s > 65536 then fail "line 1: the condition is too long";
  let at = ref 0 in
  let eat text =
    let n = String.length text in
    let is = !at + n <= String.length s && String.sub s !at n = text in
    if is then at := !at + n;
    is in
  let wrong () = fail "line 1: the condition is malformed at its character %d" (!at + 1) in
  let colour () =
    match String.index_from_opt s !at ')' with
    | None -> wrong ()
    | Some closing ->
      let c = Model.number 1 (String.sub s !at (closing - !at)) in
      if c >= colours then fail "line 1: colour %d is too large" c;
      at := closing + 1;
      c in
  let rec any depth =
    let x = ref (every depth) in
    while eat "|" do x := Checker.Or (!x, every depth) done;
    !x
  and every depth =
    let x = ref (leaf depth) in
    while eat "&" do x := Checker.And (!x, leaf depth) done;
    !x
  and leaf depth =
    if depth > 100 then fail "line 1: the condition is nested too deep"
    else if eat "Inf(" then Inf (colour ())
    else if eat "Fin(" then Fin (colour ())
    else if eat "t" then Always_ true
    else if eat "f" then Always_ false
    else if eat "(" then (let x = any (depth + 1) in if eat ")" then x else wrong ())
    else wrong () in
  let x = any 0 in
  if !at < String.length s then wrong () else x

(* Fails if a condition, multiplied out, is too large. *)
let rec bounded (x : Checker.condition) =
  let all = match x with
    | And (a, b) -> Checker.times (bounded a) (bounded b)
    | Or (a, b) -> bounded a @ bounded b
    | _ -> Checker.pairs x in
  if List.length all > most_pairs then fail "line 1: the condition takes more than %d pairs of Rabin's kind" most_pairs;
  all

(* A state, with colours in braces or without *)
let target line states cell =
  let state, marks =
    match String.index_opt cell '{' with
    | None -> cell, []
    | Some i ->
      let n = String.length cell in
      if cell.[n - 1] <> '}' then fail "line %d: %s is malformed" line cell;
      String.sub cell 0 i, numbers line colours (String.sub cell (i + 1) (n - i - 2)) in
  match numbers line states state with
  | [ q ] -> q, marks
  | _ -> fail "line %d: a state was expected" line

let read_automaton file line labels begins text =
  let accepts_by = condition text in
  ignore (bounded accepts_by); ignore (bounded (Checker.dual accepts_by));
  let head name =
    let s = next_line file name in
    incr line;
    let found, rest = cells !line 2 s in
    if found <> name then fail "line %d: %s was expected" !line name;
    List.hd rest in
  let states = Model.number 2 (head "states") and width = Array.length labels in
  if states = 0 || states > 65536 then fail "line 2: the property has %d states" states;
  let start = match numbers 3 states (head "initial") with [ q ] -> q | _ -> fail "line 3: a state was expected" in
  let ends = Array.make states false in
  List.iter (fun q -> ends.(q) <- true) (numbers 4 states (head "may end"));
  let next = Array.make (states * width) 0 and marks = Array.make (states * width) [] in
  ignore (each_label file line 2 labels (fun l line rest ->
    let all = match String.split_on_char ' ' (List.hd rest) with
      | "begins" :: all -> begins.(l) <- true; all
      | all -> all in
    if List.length all <> states then fail "line %d: there are %d states, not %d" line (List.length all) states;
    List.iteri (fun q cell ->
      let t, colours = target line states cell in
      next.((l * states) + q) <- t;
      marks.((l * states) + q) <- colours) all));
  let is q l = q >= 0 && q < states && l >= 0 && l < width in
  Automaton ({ start; accepts_by;
    after_ = (fun q l -> if is q l then next.((l * states) + q) else 0);
    has = (fun q l c -> is q l && List.memq c marks.((l * states) + q));
    stops = (fun q -> q >= 0 && q < states && ends.(q)) }, states)

let read file labels =
  let line = ref 1 in
  match String.split_on_char '\t' (next_line file "the property") with
  | text :: cell :: made ->
    let chain = cell <> "" && cell.[0] >= '0' && cell.[0] <= '9' in
    if made <> [] && not chain then fail "line 1: other properties than Inev are not certified under assumptions";
    let begins = Array.make (Array.length labels) false in
    let kind = if chain then read_chain file line labels begins cell (List.map (unescape 1) made) else read_automaton file line labels begins cell in
    { text = unescape 1 text; kind; begins }
  | _ -> fail "line 1: two cells were expected"
