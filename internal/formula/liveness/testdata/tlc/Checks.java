import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.lang.reflect.Method;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

import javax.management.MBeanServer;
import javax.management.ObjectName;

/**
 * Runs TLC once for each line that it reads: the arguments, parted by tabs, the module last. It answers by a line with TLC's exit code
 * and the number of bytes that TLC has printed, and these bytes. TLC keeps what it knows in static fields, so each run loads it anew.
 * A line that begins with pcal.trans runs the translator of PlusCal in the same way.
 */
public class Checks {
    public static void main(String[] classPath) throws Exception {
        List<URL> urls = new ArrayList<>();
        for (String entry : classPath[0].split(System.getProperty("path.separator"))) {
            urls.add(Path.of(entry).toUri().toURL());
        }
        PrintStream answers = System.out;
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            ByteArrayOutputStream said = new ByteArrayOutputStream();
            System.setOut(new PrintStream(said, true));
            System.setErr(new PrintStream(said, true));
            int code = 1;
            try (URLClassLoader loader = new URLClassLoader(urls.toArray(new URL[0]), ClassLoader.getPlatformClassLoader())) {
                code = check(loader, line.split("\t"));
            } catch (Throwable e) {
                e.printStackTrace();
            }
            forgetBeans();
            System.out.flush();
            byte[] bytes = said.toByteArray();
            answers.println(code + " " + bytes.length);
            answers.write(bytes);
            answers.flush();
        }
    }

    /** Removes what a run has registered at the virtual machine, as the next one registers the same names. */
    private static void forgetBeans() throws Exception {
        MBeanServer server = ManagementFactory.getPlatformMBeanServer();
        for (ObjectName name : server.queryNames(null, null)) {
            if (server.getObjectInstance(name).getClassName().startsWith("tlc2.")) {
                server.unregisterMBean(name);
            }
        }
    }

    private static int check(ClassLoader loader, String[] arguments) throws Exception {
        if (arguments[0].equals("pcal.trans")) {
            return translate(loader, Arrays.copyOfRange(arguments, 1, arguments.length));
        }
        Class<?> tlcClass = loader.loadClass("tlc2.TLC");
        Object tlc = tlcClass.getConstructor().newInstance();
        if (!(boolean) tlcClass.getMethod("handleParameters", String[].class).invoke(tlc, (Object) arguments)) {
            return 1;
        }
        String folder = Path.of(arguments[arguments.length - 1]).getParent().toString();
        Class<?> files = loader.loadClass("util.FilenameToStream");
        Object beside = loader.loadClass("util.SimpleFilenameToStream").getConstructor(String.class).newInstance(folder);
        tlcClass.getMethod("setResolver", files).invoke(tlc, beside);
        int error = (int) tlcClass.getMethod("process").invoke(tlc);
        return (int) loader.loadClass("tlc2.output.EC$ExitStatus").getMethod("errorConstantToExitStatus", int.class).invoke(null, error);
    }

    private static int translate(ClassLoader loader, String[] arguments) throws Exception {
        Class<?> out = loader.loadClass("util.ToolIO");
        out.getMethod("setMode", int.class).invoke(null, out.getField("TOOL").getInt(null)); // it does not end the process
        Method run = loader.loadClass("pcal.trans").getMethod("runMe", String[].class);
        run.setAccessible(true); // its class is not public
        int status = (int) run.invoke(null, (Object) arguments);
        for (String message : (String[]) out.getMethod("getAllMessages").invoke(null)) {
            System.out.println(message);
        }
        return status;
    }
}
