import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

import tla2sany.drivers.SANY;
import tla2sany.modanalyzer.SpecObj;
import util.SimpleFilenameToStream;

/** Writes for each module, whose paths are the lines of a file, whether SANY takes it: its path, a tab, and "yes" or what SANY says. */
public class Accepts {
    public static void main(String[] arguments) throws Exception {
        List<String> paths = Files.readAllLines(Path.of(arguments[0]));
        StringBuilder all = new StringBuilder();
        for (String path : paths) {
            ByteArrayOutputStream said = new ByteArrayOutputStream();
            String folder = Path.of(path).toAbsolutePath().getParent().toString();
            SpecObj specification = new SpecObj(path, new SimpleFilenameToStream(folder));
            String answer = "yes";
            try {
                SANY.frontEndMain(specification, path, new PrintStream(said));
                if (specification.getErrorLevel() != 0) {
                    answer = said.toString();
                }
            } catch (Throwable e) {
                answer = e + " " + said;
            }
            all.append(path).append('\t').append(answer.replaceAll("\\s+", " ")).append('\n');
        }
        Files.writeString(Path.of(arguments[1]), all.toString());
    }
}
