(* Reads a certificate of a property that is no chain, and has it checked. *)
open Wrong
open Checker

(* What is read of runs that satisfy the property, or of those that violate it: for each place
   from which some run does 1 or 4 numbers, for the others two for each pair. *)
type read = { pairs : pair_ list; can : Buffer.t; values : Numbers.t; start : Numbers.t; mutable banned : int list array }

let names = [| "satisfies", "never_satisfies"; "violates", "never_violates" |]

let read_side x name (yes, no) r =
  let can = Json.member_of x [ yes; no ] = yes and pairs = 2 * List.length r.pairs in
  Json.opening x '[';
  Numbers.add r.start r.values.count;
  let first = r.values.count in
  while Json.more x do Numbers.add r.values (Json.number x) done;
  let found = r.values.count - first in
  if can && found <> 1 && found <> 4 then fail "place %s: %s has %d numbers, not 1 or 4" (name ()) yes found;
  if (not can) && found <> pairs then fail "place %s: %s has %d numbers, not %d" (name ()) no found pairs;
  if can && found = 4 && Numbers.get r.values (first + 1) = 0 then
    fail "place %s: %s names home 0, and homes are counted from 1" (name ()) yes;
  Buffer.add_char r.can (if can then '\001' else '\000')

let read_homes x sides places =
  Json.member x "homes";
  Json.opening x '{';
  Array.iteri (fun i r ->
    Json.member x (fst names.(i));
    Json.opening x '[';
    let homes = ref [] and count = ref 0 in
    while Json.more x do
      Json.opening x '[';
      let banned = ref [] in
      while Json.more x do
        let c = Json.number x in
        if c >= Property.colours then fail "homes: there is no colour %d" c;
        banned := c :: !banned
      done;
      if !count = places then fail "homes: there are more than places";
      incr count;
      homes := List.sort_uniq compare !banned :: !homes
    done;
    r.banned <- Array.of_list (List.rev !homes)) sides;
  Json.ending x '}'

let can r v = v >= 0 && v < Buffer.length r.can && Buffer.nth r.can v = '\001'
let numbers r v = Numbers.get r.start (v + 1) - Numbers.get r.start v
let nth r v i = if v >= 0 && i < numbers r v then Numbers.get r.values (Numbers.get r.start v + i) else 0
let home r v = if can r v then nth r v 1 else 0

(* What the checker is told beside what was read: a root, a pair and transitions for each home *)
let evidence a (product : Model.t) q r : side =
  let homes = Array.length r.banned in
  let root = Array.make (homes + 1) (-1) and which = Array.make (homes + 1) (-1) in
  let inside = Array.make (homes + 1) (-1, 0) and shown = Hashtbl.create 64 in
  for v = 0 to product.states - 1 do
    let h = home r v in
    if h > 0 && h <= homes then begin
      if root.(h) < 0 then root.(h) <- v;
      for i = 0 to Model.degree product v - 1 do
        let t = product.target.%(product.start.%(v) + i) and has = a.has q.%(v) product.label.%(product.start.%(v) + i) in
        if home r t = h && not (List.exists has r.banned.(h - 1)) then begin
          inside.(h) <- v, i;
          List.iter (fun (_, colours) -> List.iter (fun c ->
            if has c && not (Hashtbl.mem shown (h, c)) then Hashtbl.add shown (h, c) (v, i)) colours) r.pairs
        end
      done
    end
  done;
  for h = 1 to homes do
    if root.(h) < 0 || fst inside.(h) < 0 then fail "home %d has no root, or no transition" h;
    List.iteri (fun j (fin, inf) ->
      if which.(h) < 0 && List.sort_uniq compare fin = r.banned.(h - 1) && List.for_all (fun c -> Hashtbl.mem shown (h, c)) inf then
        which.(h) <- j) r.pairs;
    if which.(h) < 0 then fail "home %d: no pair that it satisfies bans the colours that the certificate bans in it" h
  done;
  let of_home array other h = if h >= 0 && h <= homes then array.(h) else other in
  { settle0 = (fun v -> nth r v 0); home0 = home r; from0 = (fun v -> nth r v 2); to0 = (fun v -> nth r v 3);
    rank = (fun j v -> nth r v (2 * j)); missing = (fun j v -> nth r v ((2 * j) + 1));
    homes; root = of_home root 0; which = of_home which 0; inside = of_home inside (0, 0);
    shown_at = (fun h c -> Option.value (Hashtbl.find_opt shown (h, c)) ~default:(0, 0)) }

(* Fails where a rank is not the least there is, or a missing colour not the first. That is no
   claim, and nothing relies on it: it keeps numbers from being changed unnoticed. Strongly connected
   components of what cannot, without what the pair bans, what they lead to first (Tarjan). *)
let check_least a (product : Model.t) q name r j (fin, inf) =
  let n = product.states in
  let index = Ints.make n and low = Ints.make n and met = Bytes.make n '\000' in
  let count = ref 0 and open_ = ref [] and path = ref [] in
  let is_met v = Bytes.get met v = '\001' in
  let enter v =
    incr count;
    index.%(v) <- !count; low.%(v) <- !count; Bytes.set met v '\001';
    open_ := v :: !open_;
    path := (v, ref 0) :: !path in
  let has v i c = a.has q.%(v) product.label.%(product.start.%(v) + i) c in
  (* The target of transition i, -1 if that is not among those that are looked at. *)
  let edge v i =
    let t = product.target.%(product.start.%(v) + i) in
    if can r t || List.exists (has v i) fin then -1 else t in
  let component root =
    let rec take part = function
      | v :: rest -> if v = root then v :: part, rest else take (v :: part) rest
      | [] -> part, [] in
    let part, rest = take [] !open_ in
    open_ := rest;
    let rank = ref 0 and cyclic = ref false and missing = ref inf in
    List.iter (fun v ->
      for i = 0 to Model.degree product v - 1 do
        let t = edge v i in
        if t >= 0 then
          if is_met t then (cyclic := true; missing := List.filter (fun c -> not (has v i c)) !missing)
          else rank := max !rank (nth r t (2 * j) + 1)
      done) part;
    let missing = if !cyclic then 1 + List.fold_left min Property.colours !missing else 0 in
    List.iter (fun v ->
      Bytes.set met v '\000';
      if nth r v (2 * j) <> !rank || nth r v ((2 * j) + 1) <> missing then
        fail "place %s: pair %d has rank %d and missing %d, but the transitions make it %d and %d" (name v) j
          (nth r v (2 * j)) (nth r v ((2 * j) + 1)) !rank missing) part in
  for v = 0 to n - 1 do
    if (not (can r v)) && index.%(v) = 0 then enter v;
    while !path <> [] do
      let u, i = List.hd !path in
      if !i < Model.degree product u then begin
        let t = edge u !i in
        incr i;
        if t >= 0 then if index.%(t) = 0 then enter t else if is_met t then low.%(u) <- min low.%(u) index.%(t)
      end else begin
        path := List.tl !path;
        (match !path with (w, _) :: _ -> low.%(w) <- min low.%(w) low.%(u) | [] -> ());
        if low.%(u) = index.%(u) then component u
      end
    done
  done

(* After how many rounds of the loop a state of the automaton recurs, and how often *)
let recurring a counterexample =
  match counterexample with
  | Some ((_, Some start), moves) ->
    let go q move = a.after_ q move.x_label in
    let loop = List.filteri (fun i _ -> i >= start) moves and seen = Hashtbl.create 16 in
    let rec turn n q =
      match Hashtbl.find_opt seen q with
      | Some lead -> lead, n - lead
      | None -> Hashtbl.add seen q n; turn (n + 1) (List.fold_left go q loop) in
    turn 0 (List.fold_left go a.start moves)
  | _ -> 0, 0

let check (m : Model.t) (p : Property.t) a q_states file =
  let x = Json.create file in
  let h = Certificate.read_claims x m p [] false in
  let state = Numbers.create () and q = Numbers.create () and far = Numbers.create () in
  let lines = Numbers.create () in
  let name v = Printf.sprintf "%d·%d (line %d)" (Numbers.get state v) (Numbers.get q v) (Numbers.get lines v) in
  let side condition = { pairs = Checker.pairs condition; can = Buffer.create 16; values = Numbers.create (); start = Numbers.create (); banned = [||] } in
  let sides = [| side a.accepts_by; side (Checker.dual a.accepts_by) |] in
  let range = Ints.make (m.states + 1) and states = ref 0 in
  Json.member x "places";
  Json.opening x '[';
  while Json.more x do
    Json.opening x '{';
    let s = Certificate.number x "state" in
    let at = Certificate.number x "q" in
    if s >= m.states || at >= q_states then
      fail "place %d·%d is listed, but the model has %d states, and the property %d" s at m.states q_states;
    let last = state.count - 1 in
    let before = if last < 0 then -1 else Numbers.get state last in
    if s < before || (s = before && at <= Numbers.get q last) then fail "place %d·%d is listed twice, or behind a larger one" s at;
    if s <> before then incr states;
    Numbers.add state s;
    Numbers.add q at;
    Numbers.add lines x.line;
    range.%(s + 1) <- state.count;
    Numbers.add far (Certificate.number x "first");
    Array.iteri (fun i r -> read_side x (fun () -> name (state.count - 1)) names.(i) r) sides;
    Json.ending x '}'
  done;
  let n = state.count in
  Array.iter (fun r -> Numbers.add r.start r.values.count) sides;
  for s = 1 to m.states do range.%(s) <- max range.%(s) range.%(s - 1) done;
  (* Places are looked up by halves. *)
  let rec find at from upto =
    if from >= upto then -1
    else
      let middle = (from + upto) / 2 in
      let found = Numbers.get q middle in
      if found = at then middle else if found < at then find at (middle + 1) upto else find at from middle in
  let place s at = find at range.%(s) range.%(s + 1) in
  let origin = place m.initial a.start in
  if origin < 0 then fail "place %d·%d, the initial one, is not listed" m.initial a.start;
  read_homes x sides n;
  let listed s = s >= 0 && s < m.states && range.%(s) < range.%(s + 1) in
  let classes = Bytes.make (Ints.length m.target) '\000' and next = ref 0 in
  let skip () = while !next < m.states && not (listed !next) do incr next done in
  Json.member x "states";
  Json.opening x '[';
  skip ();
  while Json.more x do
    Json.opening x '{';
    let s = Certificate.number x "state" in
    if s <> !next then fail "states: found state %d instead of %d, the next state that can be reached" s !next;
    Certificate.read_out x m classes s;
    Json.ending x '}';
    incr next;
    skip ()
  done;
  if !next < m.states then fail "states: state %d can be reached, but is not listed" !next;
  let neighbourhoods, counterexample = Certificate.read_rest x m "q" in
  Certificate.finish x;
  (* The places as a model of their own *)
  let start = Ints.make (n + 1) in
  for v = 0 to n - 1 do start.%(v + 1) <- start.%(v) + Model.degree m (Numbers.get state v) done;
  let label = Ints.make start.%(n) and target = Ints.make start.%(n) in
  for v = 0 to n - 1 do
    let s = Numbers.get state v in
    for i = 0 to Model.degree m s - 1 do
      let at = Model.row m s i in
      let l = m.label.%(at) and t = m.target.%(at) in
      let to_ = a.after_ (Numbers.get q v) l in
      label.%(start.%(v) + i) <- l;
      let there = place t to_ in
      if there < 0 then
        fail "place %d·%d is not listed, but %d -%s-> %d leads there from place %s" t to_ s m.labels.(l) t (name v);
      target.%(start.%(v) + i) <- there
    done
  done;
  let product = { m with states = n; initial = origin; added = false; start; label; target } and q_of = q.values in
  let claims = {
    violated = h.violated; listed; mp = Fun.id; cp = Fun.id; ms = Fun.id; cs = Fun.id;
    class_of = Certificate.class_of m classes; count = Certificate.counted h; how = h.how; neighbourhoods; counterexample } in
  let places = {
    amount = n; state_at = Numbers.get state; q_at = Numbers.get q; far = Numbers.get far;
    sat = can sides.(0); vio = can sides.(1) } in
  let lead, period = recurring a counterexample in
  let layout = {
    origin; range = (fun s -> if s >= 0 && s <= m.states then range.%(s) else 0);
    goes = (fun v i -> let at = Model.row product v i in if at < 0 then 0 else target.%(at));
    into = Model.index product (fun _ -> true); lead; period } in
  let good = evidence a product q_of sides.(0) and bad = evidence a product q_of sides.(1) in
  match Checker.check_table (Model.lts m) a claims places layout good bad (Model.index m listed) with
  | Some mistake -> fail "%s" (Certificate.explain name mistake)
  | None ->
    Array.iter (fun r -> List.iteri (check_least a product q_of name r) r.pairs) sides;
    Certificate.verdict h !states
