// A merchant's requests and webhooks, with only JDK 17: java Merchant.java create|query|checkout|refund|webhooks …
//
// From the environment: ASSAY_TARGET, the address before /api/v1; ASSAY_MERCHANT_ID, ASSAY_API_KEY, ASSAY_API_SECRET.
import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

public class Merchant {
  static final String MERCHANT = "/api/v1/merchants/" + System.getenv("ASSAY_MERCHANT_ID");

  // #region sign
  /** The value of X-Signature. `timestamp` is the text of X-Timestamp; `hashed` is the bytes of body or query, or null. */
  static String signatureOf(String timestamp, String method, String path, byte[] hashed) throws GeneralSecurityException {
    List<String> components = new ArrayList<>(List.of(timestamp, method, path));
    if (hashed != null) {
      byte[] digest = MessageDigest.getInstance("SHA-256").digest(hashed);
      components.add(Base64.getEncoder().encodeToString(digest));
    }
    Mac mac = Mac.getInstance("HmacSHA256");
    mac.init(new SecretKeySpec(System.getenv("ASSAY_API_SECRET").getBytes(UTF_8), "HmacSHA256"));
    byte[] signature = mac.doFinal(String.join("\n", components).getBytes(UTF_8));
    return Base64.getEncoder().encodeToString(signature);
  }
  // #endregion sign

  // #region send
  static void get(String path, String query) throws Exception {
    send("GET", path, query, query == null ? null : query.getBytes(UTF_8), null);
  }

  static void post(String path, String body) throws Exception {
    send("POST", path, null, body.getBytes(UTF_8), body.getBytes(UTF_8));
  }

  /** Sends a signed request and prints the answer. A code other than 00000 ends the program. */
  static void send(String method, String path, String query, byte[] hashed, byte[] body) throws Exception {
    String timestamp = String.valueOf(System.currentTimeMillis());
    URI uri = URI.create(System.getenv("ASSAY_TARGET") + path + (query == null ? "" : "?" + query));
    HttpRequest request = HttpRequest.newBuilder(uri)
        .method(method, body == null ? BodyPublishers.noBody() : BodyPublishers.ofByteArray(body))
        .timeout(Duration.ofSeconds(30))
        .header("Content-Type", "application/json")
        .header("X-Api-Key", System.getenv("ASSAY_API_KEY"))
        .header("X-Timestamp", timestamp)
        .header("X-Signature", signatureOf(timestamp, method, path, hashed))
        .build();
    String answer = HttpClient.newHttpClient().send(request, BodyHandlers.ofString()).body();
    System.out.println(answer);
    if (!"00000".equals(field(answer, "code"))) System.exit(1);
  }
  // #endregion send

  /** The first field with this name, text or number. The JDK has no JSON parser; use a library in your own program. */
  static String field(String json, String name) {
    Matcher matcher = Pattern.compile("\"" + name + "\"\\s*:\\s*\"?([^\",}\\s]*)").matcher(json);
    return matcher.find() ? matcher.group(1) : null;
  }

  static Instant inHalfAnHour() {
    return Instant.now().plus(30, ChronoUnit.MINUTES).truncatedTo(ChronoUnit.SECONDS);
  }

  // #region create
  static void create(String merchantOrderId) throws Exception {
    post(MERCHANT + "/orders", """
        {
          "merchantOrderId": "%s",
          "orderAmount": { "value": "25.50", "currency": "USDT" },
          "expiresAt": "%s",
          "returnUrl": "https://shop.example/thanks"
        }""".formatted(merchantOrderId, inHalfAnHour()));
  }
  // #endregion create

  // #region query
  static void query(String merchantOrderId) throws Exception {
    get(MERCHANT + "/orders/" + merchantOrderId, null);
  }
  // #endregion query

  // #region checkout
  static void checkout(String merchantOrderId) throws Exception {
    post(MERCHANT + "/checkout/orders", """
        {
          "merchantOrderId": "%s",
          "orderAmount": { "value": "25.50", "currency": "USDT" },
          "paymentMethodType": "ON_CHAIN_TRANSFER",
          "network": "tron",
          "expiresAt": "%s"
        }""".formatted(merchantOrderId, inHalfAnHour()));
  }
  // #endregion checkout

  // #region refund
  /** `orderId` is the platform's id of the order. */
  static void refund(String orderId) throws Exception {
    String merchantRefundOrderId = "refund-" + UUID.randomUUID();
    post(MERCHANT + "/refunds", """
        {
          "merchantRefundOrderId": "%s",
          "acquiringOrderId": "%s",
          "refundReason": "The customer sent it back."
        }""".formatted(merchantRefundOrderId, orderId));
    get(MERCHANT + "/refunds", "merchantRefundOrderId=" + merchantRefundOrderId);
  }
  // #endregion refund

  // #region verify
  /** Whether a webhook is genuine and recent. `path` and `body` must be exactly as received. */
  static boolean isVerified(String timestamp, String signature, String path, byte[] body) throws GeneralSecurityException {
    if (timestamp == null || signature == null || !timestamp.matches("[0-9]{13}")) return false;
    long age = System.currentTimeMillis() - Long.parseLong(timestamp);
    if (Math.abs(age) > 5 * 60_000) return false;
    // The line "webhook" comes first: it tells the signature of a webhook from that of a request.
    String right = signatureOf("webhook\n" + timestamp, "POST", path, body);
    // There are several signatures while you change keys.
    for (String given : signature.split(" ")) {
      if (MessageDigest.isEqual(given.getBytes(UTF_8), right.getBytes(UTF_8))) return true;
    }
    return false;
  }
  // #endregion verify

  // #region receive
  /** The highest sequence handled for each order and refund. In your own program, keep it in the database. */
  static final Map<String, Long> handled = new HashMap<>();

  static int receive(HttpExchange exchange) throws IOException, GeneralSecurityException {
    byte[] body = exchange.getRequestBody().readAllBytes();
    String timestamp = exchange.getRequestHeaders().getFirst("X-Timestamp");
    String signature = exchange.getRequestHeaders().getFirst("X-Signature");
    if (!isVerified(timestamp, signature, exchange.getRequestURI().getRawPath(), body)) {
      System.out.println("not verified");
      return 401;
    }
    String event = new String(body, UTF_8);
    String refund = field(event, "refundOrderId");
    String id = refund != null ? refund : field(event, "acquiringOrderId");
    long sequence = Long.parseLong(field(event, "sequence"));
    if (sequence > handled.getOrDefault(id, 0L)) {
      handled.put(id, sequence);
      System.out.println("handled " + id + " " + field(event, "status")); // Only queue the work here, and answer first.
    } else {
      System.out.println("repeated or late " + id + " " + field(event, "status"));
    }
    return 200;
  }
  // #endregion receive

  /** Receives webhooks. Hosted orders need an HTTPS address, so put a TLS proxy in front of this. */
  static void webhooks(int port) throws IOException {
    HttpServer server = HttpServer.create(new InetSocketAddress("127.0.0.1", port), 0);
    server.createContext("/", exchange -> {
      try (exchange) {
        exchange.sendResponseHeaders(receive(exchange), -1);
      } catch (GeneralSecurityException error) {
        throw new IOException(error);
      }
    });
    server.start();
    System.out.println("listening " + server.getAddress());
  }

  public static void main(String[] arguments) throws Exception {
    String command = arguments.length > 0 ? arguments[0] : "";
    String argument = arguments.length > 1 ? arguments[1] : null;
    switch (command) {
      case "create" -> create(argument != null ? argument : "order-" + UUID.randomUUID());
      case "query" -> query(argument);
      case "checkout" -> checkout(argument != null ? argument : "order-" + UUID.randomUUID());
      case "refund" -> refund(argument);
      case "webhooks" -> webhooks(argument != null ? Integer.parseInt(argument) : 8090);
      default -> {
        System.err.println("usage: java Merchant.java create|query|checkout|refund|webhooks …");
        System.exit(2);
      }
    }
  }
}
