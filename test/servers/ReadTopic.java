import java.util.*;
import java.util.stream.*;
import java.io.*;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.apache.kafka.clients.consumer.*;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/**
 * For each topic in a line of standard input, prints all committed messages, one a line, with bytes in base64: partition, offset,
 * timestamp, key, value, headers. Then an empty line, or one with `!` and an error. Arguments: broker, settings.
 */
public class ReadTopic {
  public static void main(String[] args) throws Exception {
    Map<String, Object> settings = new HashMap<>();
    settings.put("bootstrap.servers", args[0]);
    settings.put("isolation.level", "read_committed");
    for (String setting : Arrays.asList(args).subList(1, args.length))
      settings.put(setting.split("=", 2)[0], setting.split("=", 2)[1]);
    settings.put("max.partition.fetch.bytes", 32 * 1024 * 1024);
    PrintStream out = new PrintStream(new BufferedOutputStream(System.out, 1 << 20), false, StandardCharsets.UTF_8);
    var topics = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String topic; (topic = topics.readLine()) != null;) {
      try {
        print(topic, settings, out);
        out.println();
      } catch (Exception error) {
        out.println("!" + error.toString().replace('\n', ' '));
      }
      out.flush();
    }
  }

  static void print(String topic, Map<String, Object> settings, PrintStream out) {
    try (var consumer = new KafkaConsumer<>(settings, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
      var partitions = consumer.partitionsFor(topic).stream()
          .map(each -> new TopicPartition(each.topic(), each.partition())).collect(Collectors.toList());
      consumer.assign(partitions);
      consumer.seekToBeginning(partitions);
      // The last stable offset: behind it there is no transaction that may still be committed.
      var ends = consumer.endOffsets(partitions);
      while (partitions.stream().anyMatch(each -> consumer.position(each) < ends.get(each)))
        for (var record : consumer.poll(Duration.ofMillis(500)))
          out.println(String.join("\t", String.valueOf(record.partition()), String.valueOf(record.offset()),
              String.valueOf(record.timestamp()), text(record.key()), text(record.value()), headers(record.headers())));
    }
  }

  static String text(byte[] bytes) {
    return bytes == null ? "-" : Base64.getEncoder().encodeToString(bytes);
  }

  static String headers(Iterable<Header> headers) {
    List<String> all = new ArrayList<>();
    for (Header header : headers)
      all.add(text(header.key().getBytes(StandardCharsets.UTF_8)) + ":" + text(header.value()));
    return String.join(",", all);
  }
}
