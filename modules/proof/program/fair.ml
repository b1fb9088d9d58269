(* What certificates under assumptions have besides, and what the checker is told beside what was read. *)
open Wrong
open Checker
open Certificate

type t = {
  assumed : assumption; strongly : bool array; excludes : bool;
  out : Bytes.t; settles : Ints.t; homes : Ints.t; roots : Ints.t; backs : Ints.t; (* by state *)
  inner : lists; inside : Bytes.t; (* whether the numbers of a state are there *)
  parents : Numbers.t; ranks : Numbers.t; mutable tasks : int array array (* by set, from 0 *) }

let create n (f : Property.fairness) =
  let numbers () = Ints.make n in
  { assumed = f.assumed; strongly = f.strongly; excludes = f.assumed.rare <> None; out = Bytes.make n '\000';
    settles = numbers (); homes = numbers (); roots = numbers (); backs = numbers ();
    inner = lists n 1; inside = Bytes.make n '\000';
    parents = Numbers.create (); ranks = Numbers.create (); tasks = [||] }

let is f s = s >= 0 && s < Ints.length f.homes
let admitted f s = is f s && Bytes.get f.out s = '\000'
let levels f cs s = if admitted f s then cs.%(s) else 1

let read_admitted f x s =
  if f.excludes then begin
    Json.member x "admitted";
    Bytes.set f.out s (if Json.truth x then '\000' else '\001')
  end

let read_state f x s levels =
  if not f.assumed.full then begin
    Json.member x "within";
    Json.opening x '[';
    f.inner.start.%(s) <- f.inner.values.count;
    while Json.more x do Numbers.add f.inner.values (Json.number x) done;
    let found = f.inner.values.count - f.inner.start.%(s) in
    if found <> 0 && found <> levels then fail "state %d: within has %d numbers, not %d and not none" s found levels;
    Bytes.set f.inside s (if found > 0 then '\001' else '\000')
  end;
  f.settles.%(s) <- number x "settle";
  Json.member x "home";
  Json.opening x '[';
  if Json.more x then begin
    let home = Json.number x in
    if not (is f home) then fail "state %d: home is %d, but the model has %d states" s home (Ints.length f.homes);
    f.homes.%(s) <- home + 1;
    Json.element x; f.roots.%(s) <- Json.number x;
    Json.element x; f.backs.%(s) <- Json.number x;
    Json.ending x ']'
  end

let weak f a = Array.length f.tasks.(a - 1) = 1 && not f.strongly.(f.tasks.(a - 1).(0))

(* There are no more sets than numbers in due, and no more tasks in them than labels of transitions belong to. *)
let read_sets f x (m : Model.t) chain most =
  if not f.assumed.full then begin
    let room = ref 0 and sets = ref [] and count = ref 0 and weaks = Hashtbl.create 64 in
    for at = 0 to Ints.length m.label - 1 do room := !room + (chain.steps * List.length (f.assumed.tasks_of m.label.%(at))) done;
    Json.member x "sets";
    Json.opening x '[';
    while Json.more x do
      if !count = most then fail "sets: there are more than states can lie in";
      incr count;
      Json.opening x '{';
      let parent = number x "parent" in
      if parent >= !count then fail "set %d: its parent is %d, which does not come before it" !count parent;
      if Hashtbl.mem weaks parent then fail "set %d: it lies in set %d, all states of which neglect a weak task" !count parent;
      Numbers.add f.parents parent;
      Numbers.add f.ranks (number x "rank");
      Json.member x "tasks";
      Json.opening x '[';
      let tasks = ref [] in
      while Json.more x do
        let k = Json.number x in
        if k >= Array.length f.strongly then fail "set %d: there is no task %d" !count k;
        if !tasks <> [] && List.hd !tasks >= k then fail "set %d: its tasks do not ascend" !count;
        tasks := k :: !tasks
      done;
      Json.ending x '}';
      let some_weak = List.exists (fun k -> not f.strongly.(k)) !tasks in
      if !tasks = [] then fail "set %d: it neglects no task" !count;
      if some_weak && List.length !tasks > 1 then fail "set %d: a weak task is not the only one" !count;
      if some_weak then Hashtbl.add weaks !count ();
      room := !room - List.length !tasks;
      if !room < 0 then fail "sets: they have more tasks than are enabled in their states";
      sets := Array.of_list (List.rev !tasks) :: !sets
    done;
    f.tasks <- Array.of_list (List.rev !sets);
    for i = 0 to f.inner.values.count - 1 do
      let a = Numbers.get f.inner.values i in
      if a > !count then fail "sets: there are %d, but some state lies in set %d" !count a
    done
  end

(* Whether k stands in an ascending array *)
let has array k =
  let rec look from upto =
    from < upto &&
    let middle = (from + upto) / 2 in
    array.(middle) = k || if array.(middle) < k then look (middle + 1) upto else look from middle in
  look 0 (Array.length array)

(* What the checker is told: for each home and each task a transition that stays there, or a state without the task *)
let evidence f (m : lts) chain claims =
  let of_state a s = if is f s then a.%(s) else 0 in
  let set a = a > 0 && a <= Array.length f.tasks in
  let shown = Hashtbl.create 64 and idle = Hashtbl.create 64 in
  let g = {
    adm = admitted f; settle = of_state f.settles; home = of_state f.homes; from = of_state f.roots; back = of_state f.backs;
    within = (fun s v -> if is f s && Bytes.get f.inside s = '\001' then entry f.inner s v else 0);
    sets = Array.length f.tasks; parent = (fun a -> if set a then Numbers.get f.parents (a - 1) else 0);
    set_rank = (fun a -> if set a then Numbers.get f.ranks (a - 1) else 0);
    only = (fun a -> if set a && weak f a then Some f.tasks.(a - 1).(0) else None);
    neglects = (fun a k -> set a && has f.tasks.(a - 1) k);
    shown = (fun h k -> Option.value (Hashtbl.find_opt shown (h, k)) ~default:(0, 0));
    idle = (fun h k -> Option.value (Hashtbl.find_opt idle (h, k)) ~default:0) } in
  let each_task s each =
    for i = 0 to m.degree s - 1 do
      List.iter (fun k -> if of_task m f.assumed s i k then each i k) (f.assumed.tasks_of (m.label s i))
    done in
  let each_state each = for s = 0 to m.size - 1 do if claims.listed s && f.homes.%(s) > 0 then each s f.homes.%(s) done in
  if not f.assumed.full then begin
    each_state (fun s h -> each_task s (fun i k ->
      if not (Hashtbl.mem shown (h, k)) && stays_at m chain f.assumed claims g h s i then Hashtbl.add shown (h, k) (s, i)));
    let waiting = Hashtbl.create 64 in (* by home: weak tasks that are not taken there *)
    each_state (fun s h -> each_task s (fun _ k ->
      if not (f.strongly.(k) || Hashtbl.mem shown (h, k) || Hashtbl.mem idle (h, k)) then begin
        Hashtbl.add idle (h, k) s;
        Hashtbl.add waiting h k
      end));
    each_state (fun s h -> List.iter (fun k ->
      let known = Hashtbl.find idle (h, k) in
      if enabled m f.assumed known k && not (enabled m f.assumed s k) then Hashtbl.replace idle (h, k) s) (Hashtbl.find_all waiting h))
  end;
  g

(* Fails where a rank is not the least there is. That is no claim, and nothing relies on it. *)
let check_least f (m : lts) chain claims e g =
  if not f.assumed.full then begin
    let greatest = Array.make (g.sets + 1) 0 in
    for s = 0 to m.size - 1 do
      if claims.listed s then
        for v = 1 to Checker.levels claims g s do
          let a = g.within s v and rank = e.due s v and most = ref 0 in
          for i = 0 to m.degree s - 1 do
            if goes_on m chain f.assumed g v s i then begin
              let t = m.target s i in
              let b = g.within t v in
              let (_, below), other = meet g (a + b + 1) a b 0 0 in
              let rank_there = if other > 0 then g.set_rank other else e.due t v in
              if below > 0 then greatest.(below) <- max greatest.(below) rank_there
              else if rank > 0 then most := max !most rank_there
            end
          done;
          if rank > 0 && rank <> !most + 1 then fail "state %d: due[%d] is %d, but the transitions make it %d" s (v - 1) rank (!most + 1)
        done
    done;
    for a = 1 to g.sets do
      if g.set_rank a <> greatest.(a) + 1 then fail "set %d: rank is %d, but the transitions make it %d" a (g.set_rank a) (greatest.(a) + 1)
    done
  end
