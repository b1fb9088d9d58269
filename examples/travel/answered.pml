/* A booking is answered: spin -f '!([] (p -> <> q))', with atoms for this model. */
#define p BOOKING_REC
#define q TICKET_REC

never {
T0_init:
	do
	:: (!(q) && (p)) -> goto accept_S4
	:: (1) -> goto T0_init
	od;
accept_S4:
	do
	:: (!(q)) -> goto accept_S4
	od;
}
