(* Which labels do the steps: a reader of what "inev formula --steps-out" writes. *)
open Wrong

type t = { text : string; chain : Checker.chain }

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

let cells line s =
  match String.split_on_char '\t' s with
  | [ a; b ] -> unescape line a, b
  | _ -> fail "line %d: two cells were expected" line

let read file labels =
  let line = ref 1 in
  let text, steps =
    match input_line file with
    | exception End_of_file -> fail "the file is empty"
    | s -> cells 1 s in
  let n = Model.number 1 steps in
  if n = 0 || n > 65535 then fail "line 1: the property has %d steps" n;
  let known = Hashtbl.create 64 in
  let rec all () =
    match input_line file with
    | exception End_of_file -> ()
    | s ->
      incr line;
      let label, steps = cells !line s in
      let set = Hashtbl.create 4 in
      if steps <> "" then
        List.iter (fun i ->
          let i = Model.number !line i in
          if i = 0 || i > n then fail "line %d: there is no step %d" !line i;
          Hashtbl.replace set i ()) (String.split_on_char ',' steps);
      if Hashtbl.mem known label then fail "line %d: the label stands there twice" !line;
      Hashtbl.add known label set;
      all () in
  all ();
  let width = Array.length labels in
  (* By step, then by label: a byte each. *)
  let table = Bytes.make ((n + 1) * width) '\000' in
  Array.iteri (fun l text ->
    match Hashtbl.find_opt known text with
    | None -> fail "the label %s of the model is not there" text
    | Some set -> Hashtbl.iter (fun i () -> Bytes.set table ((i * width) + l) '\001') set) labels;
  let does i l = i >= 1 && i <= n && l >= 0 && l < width && Bytes.get table ((i * width) + l) = '\001' in
  { text; chain = { steps = n; does } }
