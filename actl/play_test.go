package actl
import ("testing";"fmt";"github.com/inev-lts/inev/lts")
func TestPlay(t *testing.T){
 for _, s := range []string{"Inev(PUT)","inev ( r1( d1 ,  d2) , c3(d2,  true) )",`Inev("PUT !1", "GET !1")`,`Inev(/^RACK[01]$/, SDT*)`,"Inev({PUT, {GET}}, ACK)",
 "A[true_{true} U_{PUT} A[true_{true} U_{GET} true]]","A [ true_{true} U_{a|b, c or d \\/ e || f} true ]","A[true {true} U {PUT} true]","A(true_{true} U_{PUT} true)","A[true_true U_PUT (A[true U_r1(d1) true])]",
 "A[true_{true} U_{{a|b}} true]","A[true_{true} U_{true} true]","Inev(a|b, true, {true, x}, \"a\\\"b\\\\\", not a, a or b)",
 "", "   ","Inev","Inev(","Inev()","Inev(A","Inev(A,","Inev(A,)","Inev(A))","Inev(A) x","Inev(PUT(d1)","Inev(PUT(d1","Inev(PUT(d1])","Inev(\"a","Inev(\"a\"b)","Inev(/a","Inev(/a[/)","Inev(//)","Inev({})","Inev({a","Inev({a,})","Inev({a b}}","Inev(a\"b\")","AF(a)","EF a","A[true_{true} U_{PUT} E[x]]","A[p_{true} U_{PUT} true]","A[true_{true} U_{not PUT} true]","A[true_{true} U_{a and b} true]","A[true_{true} U_{a} true","A[true_{true} U_{false} true]","PUT, GET", "Inev(a\tb\x1b(", "Inev(PUT GET)","A","A[true_{true} U a true]", "Inev(}"} {
  f, err := Parse(s)
  if err != nil { fmt.Println(err); fmt.Println(err.(*SyntaxError).Caret()); continue }
  m,n1 := f.MCL(); mu,n2 := f.MuCalculus()
  fmt.Println(s,"\n  ", f, "\n  ", f.ACTL(), "\n  ", m, n1, "\n  ", mu, n2)
 }
 a,_ := lts.NewAlphabet([]string{"GET","GET !1","PUT !1","c3(d2, true)","i","r1(d1)"})
 for _, s := range []string{"Inev(GTE)","Inev(\"PUT\")","Inev(r1(d2))","Inev({GET,GTE},zzz,c3(d2,true),\"c3(d2,true)\",get, \"put!1\", G*X, /^PTU/)"} {
  f, _ := Parse(s); p, w := f.Bind(a)
  for _, x := range w {fmt.Println(x)}
  fmt.Println(p.ACTL()); fmt.Println(p.MCL()); fmt.Println(p.MuCalculus())
 }
}
