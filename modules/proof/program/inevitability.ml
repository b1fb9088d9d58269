(* Reads a certificate of a chain, and has it checked. *)
open Wrong
open Checker
open Certificate

(* Returns what the command says of a certificate that is right; fails otherwise. *)
let check (m : Model.t) (p : Property.t) chain (fairness : Property.fairness option) file =
  let x = Json.create file and n = m.states in
  let fair = Option.map (Fair.create n) fairness in
  let under = match fairness with Some f -> f.made | None -> [] in
  let h = Certificate.read_claims x m p under (match fair with Some f -> f.excludes | None -> false) in
  let listed = Bytes.make n '\000' and classes = Bytes.make (Ints.length m.target) '\000' in
  let numbers () = Ints.make n in
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
    Option.iter (fun f -> Fair.read_admitted f x s) fair;
    mp.%(s) <- number x "mp"; cp.%(s) <- number x "cp"; ms.%(s) <- number x "ms"; cs.%(s) <- number x "cs";
    least.%(s) <- number x "least";
    member_list x "first" first s (mp.%(s) + 1);
    member_list x "next" next s ms.%(s);
    let levels = match fair with Some f -> Fair.levels f cs s | None -> cs.%(s) in
    member_list x "due" due s levels;
    Option.iter (fun f -> Fair.read_state f x s levels) fair;
    read_out x m classes s;
    Json.ending x '}'
  done;
  Option.iter (fun f -> Fair.read_sets f x m chain due.values.count) fair;
  let neighbourhoods, counterexample = read_rest x m "progress" in
  let is s = s >= 0 && s < n in
  let listed s = is s && Bytes.get listed s = '\001' in
  let near =
    match counterexample with
    | Some ((bound, _), _) when fair = None && h.violated && Json.peek x = ',' -> Some (Shortest.read x n chain.steps listed bound)
    | _ -> None in
  finish x;
  let of_state a s = if is s then a.%(s) else 0 and of_list r s v = if is s then entry r s v else 0 in
  let claims = {
    violated = h.violated; listed; mp = of_state mp; cp = of_state cp; ms = of_state ms; cs = of_state cs;
    class_of = class_of m classes; count = counted h; how = h.how; neighbourhoods; counterexample } in
  let evidence = { least = of_state least; first = of_list first; next = of_list next; due = of_list due } in
  let index = Model.index m listed in
  let l = Model.lts m in
  match fair with
  | None ->
    (match Checker.check l chain claims evidence index with
     | Some mistake ->
       fail "%s" (match Words.explain m chain claims evidence index mistake with Some text -> text | None -> explain string_of_int mistake)
     | None ->
       match Option.map (fun near -> Checker.check_shortest l chain claims near index) near with
       | Some (Some mistake) -> fail "%s" (explain string_of_int mistake)
       | Some None -> verdict h !states ^ "; no counterexample is shorter"
       | None -> verdict h !states)
  | Some f ->
    let given = Fair.evidence f l chain claims in
    match Checker.check_fair l chain f.assumed claims evidence given index with
    | Some mistake -> fail "%s" (explain string_of_int mistake)
    | None ->
      Fair.check_least f l chain claims evidence given;
      Printf.sprintf "%s, among the runs that meet %s" (verdict h !states) (String.concat " and " under)
