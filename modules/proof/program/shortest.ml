(* Reads the evidence that no counterexample is shorter than one of bound transitions. *)
open Wrong
open Checker

let read x states n listed bound =
  let row = Ints.make states and soon = Numbers.create () and last = ref (-1) in
  Json.member x "shortest";
  Json.opening x '{';
  Json.member x "near";
  Json.opening x '[';
  while Json.more x do
    Json.opening x '{';
    let s = Certificate.number x "state" in
    if s <= !last || not (listed s) then fail "near: state %d is listed, which comes before, or cannot be reached" s;
    last := s;
    Json.member x "soon";
    Json.opening x '[';
    row.%(s) <- soon.count + 1;
    while Json.more x do Numbers.add soon (Json.number x) done;
    if soon.count + 1 - row.%(s) <> n then fail "state %d: soon has %d numbers, not %d" s (soon.count + 1 - row.%(s)) n;
    if Numbers.get soon (soon.count - 1) >= bound then
      fail "near: state %d is listed, but the counterexample is no longer than the runs to it" s;
    Json.ending x '}'
  done;
  let searches = ref [] and count = ref 0 and of_head = Hashtbl.create 64 and before = ref (-1, 0) in
  Json.member x "searches";
  Json.opening x '[';
  while Json.more x do
    Json.opening x '{';
    let s_head = Certificate.number x "head" in
    let s_done = Certificate.number x "progress" in
    if (s_head, s_done) <= !before then fail "searches: that from state %d with progress %d comes late" s_head s_done;
    before := s_head, s_done;
    Hashtbl.add of_head !before !count;
    incr count;
    let state = Numbers.create () and far = Numbers.create () and place = Hashtbl.create 16 and distance = ref 0 in
    Json.member x "levels";
    Json.opening x '[';
    while Json.more x do
      incr distance;
      Json.opening x '[';
      let first = state.count in
      while Json.more x do
        let t = Json.number x in
        if state.count > first && t <= Numbers.get state (state.count - 1) then fail "searches: state %d comes late in its level" t;
        Hashtbl.replace place t state.count;
        Numbers.add state t;
        Numbers.add far !distance
      done;
      if state.count = first then fail "searches: level %d is empty" !distance
    done;
    Json.ending x '}';
    let s_place t = Option.value (Hashtbl.find_opt place t) ~default:state.count in
    searches := { s_head; s_done; s_size = state.count; s_state = Numbers.get state; s_far = Numbers.get far; s_place } :: !searches
  done;
  Json.ending x '}';
  let searches = Array.of_list (List.rev !searches) in
  { soon = (fun s j -> if s >= 0 && s < states && row.%(s) > 0 then Numbers.get soon (row.%(s) - 1 + j) else bound);
    searches = !count;
    search_at = Array.get searches;
    search_of = (fun w j -> Option.value (Hashtbl.find_opt of_head (w, j)) ~default:!count) }
