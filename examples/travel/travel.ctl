# Formulas of computation tree logic for the travel agency, travel.aut.

# While the booking is with the carrier, the client can still get a ticket: what takes it
# away is the carrier's choice, and not the booking.
# expect: satisfied
AG [BOOKING_REC] EF <TICKET_REC> true

# After the booking, the client gets an answer, a ticket or a voucher, whatever happens.
# expect: satisfied
AG [BOOKING_REC] A[true U {TICKET_REC, VOUCHER_REC} true]

# The bank can have the transfer before the client has the ticket.
# expect: satisfied
EF (<TICKET_REC> true && AG [TRANSFER_REC] false)

# Who is refused gets nothing any more: the agency does not change its mind.
# expect: violated
EF <REFUSAL_REC> EF <ACCEPTANCE_EM> true
