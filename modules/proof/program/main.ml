(* inev-proof MODEL.aut STEPS.tsv CERTIFICATE.json... *)
open Wrong

let usage = {|usage: inev-proof MODEL.aut STEPS.tsv CERTIFICATE.json...

Checks certificates that "inev explain MODEL.aut FORMULA --certificate CERTIFICATE.json" has
written, by a checker that is proved correct. "inev formula FORMULA --model MODEL.aut --steps-out
STEPS.tsv" writes what labels do for the property. The exit code is 0 if all
certificates are right, whatever their verdicts, and 2 otherwise; a line names the first mistake.
|}

(* Calls f with an opened file; mistakes name the file. *)
let reading path f =
  match open_in_bin path with
  | exception Sys_error text -> raise (Wrong text)
  | file ->
    Fun.protect ~finally:(fun () -> close_in_noerr file) (fun () ->
      try f file with
      | Wrong text -> raise (Wrong (path ^ ": " ^ text))
      | Sys_error text -> raise (Wrong (path ^ ": cannot be read: " ^ text)))

let () =
  let right = ref true in
  let refuse text =
    right := false;
    prerr_endline ("inev-proof: " ^ String.map (fun c -> if c < ' ' then '?' else c) text) in
  (match List.tl (Array.to_list Sys.argv) with
   | [ ("--help" | "-h") ] -> print_string usage
   | model :: steps :: (_ :: _ as certificates) ->
     (try
        let m = reading model Model.read in
        let p = reading steps (fun file -> Property.read file m.labels) in
        let m = Model.beginning m p.begins in
        let check = match p.kind with
          | Chain (chain, fairness) -> Inevitability.check m p chain fairness
          | Automaton (a, states) -> Table.check m p a states in
        List.iter (fun path ->
          try print_endline (reading path check) with Wrong text -> refuse text) certificates
      with Wrong text -> refuse text)
   | _ -> prerr_string usage; right := false);
  exit (if !right then 0 else 2)
