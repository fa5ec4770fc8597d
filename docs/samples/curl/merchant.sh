#!/usr/bin/env bash
# A merchant's requests with curl and openssl: ./merchant.sh create|query|checkout|refund|verify …
#
# From the environment: ASSAY_TARGET, the address before /api/v1; ASSAY_MERCHANT_ID, ASSAY_API_KEY, ASSAY_API_SECRET.
# openssl gets the secret as an argument, which other users of this machine can see for a moment: so use this script for tests only.
set -euo pipefail
merchant="/api/v1/merchants/$ASSAY_MERCHANT_ID"

# #region sign
sha256_base64() {
  openssl dgst -sha256 -binary | openssl base64 -A
}

# Signs components joined by line feeds, with no line feed at the end.
sign() {
  local IFS=$'\n'
  printf '%s' "$*" | openssl dgst -sha256 -hmac "$ASSAY_API_SECRET" -binary | openssl base64 -A
}

signature_of() { # TIMESTAMP METHOD PATH [QUERY, or BODY of a POST]
  if [[ $2 == POST || -n ${4:-} ]]; then
    sign "$1" "$2" "$3" "$(printf '%s' "${4:-}" | sha256_base64)"
  else
    sign "$1" "$2" "$3"
  fi
}
# #endregion sign

# #region send
get() { # PATH [QUERY]
  local timestamp="$(date +%s)000"
  call "$timestamp" "$(signature_of "$timestamp" GET "$1" "${2:-}")" "$ASSAY_TARGET$1${2:+?$2}"
}

post() { # PATH BODY
  local timestamp="$(date +%s)000"
  call "$timestamp" "$(signature_of "$timestamp" POST "$1" "$2")" "$ASSAY_TARGET$1" \
    --header 'Content-Type: application/json' --data-binary "$2"
}

# Prints the answer. Fails unless its code is 00000.
call() { # TIMESTAMP SIGNATURE URL [MORE FOR CURL]
  local answer
  answer=$(curl --silent --show-error --max-time 30 "${@:4}" \
    --header "X-Api-Key: $ASSAY_API_KEY" --header "X-Timestamp: $1" --header "X-Signature: $2" "$3")
  printf '%s\n' "$answer"
  [[ $answer =~ ^\{[[:space:]]*\"code\"[[:space:]]*:[[:space:]]*\"00000\" ]]
}
# #endregion send

new_id() { # PREFIX
  printf '%s-%s' "$1" "$(openssl rand -hex 8)"
}

in_half_an_hour() {
  local then=$(($(date +%s) + 1800))
  date -u -d "@$then" +%Y-%m-%dT%H:%M:%SZ 2>/dev/null || date -u -r "$then" +%Y-%m-%dT%H:%M:%SZ
}

# #region create
create() { # [MERCHANT_ORDER_ID]
  post "$merchant/orders" '{
    "merchantOrderId": "'"${1:-$(new_id order)}"'",
    "orderAmount": { "value": "25.50", "currency": "USDT" },
    "expiresAt": "'"$(in_half_an_hour)"'",
    "returnUrl": "https://shop.example/thanks"
  }'
}
# #endregion create

# #region query
query() { # MERCHANT_ORDER_ID
  get "$merchant/orders/$1"
}
# #endregion query

# #region checkout
checkout() { # [MERCHANT_ORDER_ID]
  post "$merchant/checkout/orders" '{
    "merchantOrderId": "'"${1:-$(new_id order)}"'",
    "orderAmount": { "value": "25.50", "currency": "USDT" },
    "paymentMethodType": "ON_CHAIN_TRANSFER",
    "network": "tron",
    "expiresAt": "'"$(in_half_an_hour)"'"
  }'
}
# #endregion checkout

# #region refund
refund() { # ORDER_ID, the platform's
  local id
  id=$(new_id refund)
  post "$merchant/refunds" '{
    "merchantRefundOrderId": "'"$id"'",
    "acquiringOrderId": "'"$1"'",
    "refundReason": "The customer sent it back."
  }'
  get "$merchant/refunds" "merchantRefundOrderId=$id"
}
# #endregion refund

# #region verify
verify() { # TIMESTAMP SIGNATURE PATH, with the body on standard input
  [[ $1 =~ ^[0-9]{13}$ ]] || { echo 'not verified: the timestamp is not 13 digits'; return 1; }
  local age=$(($(date +%s) - ${1%???}))
  ((age >= -300 && age <= 300)) || { echo 'not verified: the timestamp is too old or too new'; return 1; }
  # The body is hashed from a file, because a shell variable would lose line feeds at the end.
  # The line "webhook" comes first: it tells the signature of a webhook from that of a request.
  local right=$(sign webhook "$1" POST "$3" "$(sha256_base64)")
  # There are several signatures, separated by spaces, while you change keys.
  [[ " $2 " == *" $right "* ]] || { echo 'not verified: wrong signature'; return 1; }
  echo verified
}
# #endregion verify

case ${1:-} in
  create | query | checkout | refund | verify) "$@" ;;
  *) echo "usage: $0 create|query|checkout|refund|verify …" >&2; exit 2 ;;
esac
